"""Errors: whether captions name the group that an image was annotated with, or another one."""

"""Recall: which words of the references captions use, over all images and for each image."""

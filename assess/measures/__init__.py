"""What can be measured of captions: one folder for each measure, and what measures share."""

"""What every page that is made from code begins with."""

MADE = "<!-- Made by `make docs`; edit the code it is made from. -->\n\n"

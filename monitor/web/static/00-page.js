"use strict";
// No page needs this script: it only saves clicks. Each part waits for what it is about.

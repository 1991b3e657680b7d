function made() { return 1 }

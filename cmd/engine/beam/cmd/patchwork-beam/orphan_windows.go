package main

// adopted reports that no process is known to have lost its parent: Windows gives it no other.
func adopted(int) bool { return false }

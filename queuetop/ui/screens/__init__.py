"""Screens over the main one."""

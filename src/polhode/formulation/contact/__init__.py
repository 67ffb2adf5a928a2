"""Contacts at an instant: the forces and impulses that supports exert, and motions."""

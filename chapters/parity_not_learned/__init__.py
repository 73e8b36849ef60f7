"""A page has the name of this folder: without this file Python would import that."""

"""The version of the package."""

version = "0.9.0.dev0"

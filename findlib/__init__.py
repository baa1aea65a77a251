"""Finding errors in documents, in reasoning and in structured data, and measuring it.

Data flows one way: documents -> responses -> answers -> grades -> tables -> figures.
Import the module of the role you need, e.g. ``from findlib import data, evidence``.
"""

__version__ = "0.1.0"

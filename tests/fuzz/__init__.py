"""Looking for what nobody thought of: properties with new examples, and inputs with mistakes in them."""

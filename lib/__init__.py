"""Self-attention, exactly: transformers as data, and the readers that run them."""

"""Several heads on several kinds of decisive tokens, and the token with the largest score."""

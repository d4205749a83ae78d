"""Who may do what: visitors, passwords, sessions, tokens, forms that nobody else can send."""

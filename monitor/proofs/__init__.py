"""What makes captures checkable by others: manifests, signatures, time stamps, archives."""

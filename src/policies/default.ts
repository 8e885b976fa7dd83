/**
 * The text the policy `default` has until an operator rewrites it: what every token may do with itself (4-open-points,
 * Tokens and policies; the family's clients count on each line).
 */
export const DEFAULT_POLICY = `# A token may look at, renew and revoke itself.
path "auth/token/lookup-self" {
  capabilities = ["read"]
}
path "auth/token/renew-self" {
  capabilities = ["update"]
}
path "auth/token/revoke-self" {
  capabilities = ["update"]
}

# It may ask what it is permitted to do.
path "sys/capabilities-self" {
  capabilities = ["update"]
}
path "sys/internal/ui/resultant-acl" {
  capabilities = ["read"]
}

# It may look at the entity it belongs to.
path "identity/entity/id/{{identity.entity.id}}" {
  capabilities = ["read"]
}
path "identity/entity/name/{{identity.entity.name}}" {
  capabilities = ["read"]
}

# It may renew and look up a lease whose id it knows.
path "sys/leases/renew" {
  capabilities = ["update"]
}
path "sys/leases/lookup" {
  capabilities = ["update"]
}

# Its cubbyhole is its own.
path "cubbyhole/*" {
  capabilities = ["create", "read", "update", "delete", "list"]
}

# It may wrap an answer, look at a wrapping token, and unwrap.
path "sys/wrapping/wrap" {
  capabilities = ["update"]
}
path "sys/wrapping/lookup" {
  capabilities = ["update"]
}
path "sys/wrapping/unwrap" {
  capabilities = ["update"]
}

# Hashing keeps no secret.
path "sys/tools/hash" {
  capabilities = ["update"]
}
path "sys/tools/hash/*" {
  capabilities = ["update"]
}
`;

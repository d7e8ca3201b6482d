type Attributes = Record<string, string[]>;

/**
 * Adds the attribute with the account's name. Callers read its name from `account_field`, so it is present even if the
 * site does not list it among the released attributes. It comes last, so that a header in the site's own spelling
 * stays.
 */
export function withAccountAttribute(attributes: Attributes, accountField: string, account: string): Attributes {
  if (Object.hasOwn(attributes, accountField)) return attributes;
  return { ...attributes, [accountField]: [account] };
}

import type { SamlProviderConfig } from "@postern/shared/platform/config";
import { attributeOf, type DescribedAccount } from "../../domains/account-domains.ts";

export interface ReleasedAttribute {
  readonly name: string;
  readonly friendlyName: string | undefined;
  readonly nameFormat: string;
  readonly values: readonly string[];
}

type UserAttributes = DescribedAccount["attributes"];

export interface SamlUser extends DescribedAccount {
  readonly groups?: readonly string[] | undefined;
  readonly groupDns?: readonly string[] | undefined;
}

const uri = "urn:oasis:names:tc:SAML:2.0:attrname-format:uri";
const basic = "urn:oasis:names:tc:SAML:2.0:attrname-format:basic";

/** Object identifiers of common attributes: RFC 4519, RFC 2798, RFC 4524 and eduPerson 202208. */
const objectIds: Readonly<Record<string, string>> = {
  uid: "0.9.2342.19200300.100.1.1",
  mail: "0.9.2342.19200300.100.1.3",
  cn: "2.5.4.3",
  sn: "2.5.4.4",
  telephonenumber: "2.5.4.20",
  o: "2.5.4.10",
  ou: "2.5.4.11",
  title: "2.5.4.12",
  givenname: "2.5.4.42",
  displayname: "2.16.840.1.113730.3.1.241",
  employeenumber: "2.16.840.1.113730.3.1.3",
  preferredlanguage: "2.16.840.1.113730.3.1.39",
  edupersonaffiliation: "1.3.6.1.4.1.5923.1.1.1.1",
  edupersonprincipalname: "1.3.6.1.4.1.5923.1.1.1.6",
  edupersonentitlement: "1.3.6.1.4.1.5923.1.1.1.7",
  edupersonscopedaffiliation: "1.3.6.1.4.1.5923.1.1.1.9",
  edupersonassurance: "1.3.6.1.4.1.5923.1.1.1.11",
  edupersonorcid: "1.3.6.1.4.1.5923.1.1.1.16",
  schachomeorganization: "1.3.6.1.4.1.25178.1.2.9",
};

/** Attributes that hold secrets in directories; no configuration can release them. */
const secretName = /pass|secret|token|recovery|totp|webauthn|credential|private|^krb|^sambant|^sambalm/i;

function presetName(name: string, preset: string): Omit<ReleasedAttribute, "values"> {
  const id = preset === "none" || preset === "basic" ? undefined : objectIds[name.toLowerCase()];
  if (id === undefined) return { name, friendlyName: undefined, nameFormat: basic };
  return { name: `urn:oid:${id}`, friendlyName: name, nameFormat: uri };
}

/** Values that the preset `eduperson` derives from the account if the backend has no such attribute. */
function eduPerson(attributes: UserAttributes, account: string): UserAttributes {
  const has = attributeOf(attributes, "eduPersonPrincipalName").length > 0;
  return has || !account.includes("@") ? attributes : { ...attributes, eduPersonPrincipalName: [account] };
}

/** Groups under the names that OIDC mappings use in `from`; an attribute of the backend with such a name takes precedence. */
function withGroups({ attributes, groups = [], groupDns = [] }: SamlUser): UserAttributes {
  const derived = Object.entries({ groups, group_dns: groupDns });
  return {
    ...attributes,
    ...Object.fromEntries(derived.filter(([name]) => attributeOf(attributes, name).length === 0)),
  };
}

/** The attributes that this service provider may receive, with all their values. */
export function releasedAttributes(
  provider: Pick<SamlProviderConfig, "allowed_attributes" | "attribute_preset" | "attributes">,
  user: SamlUser,
): readonly ReleasedAttribute[] {
  const { attribute_preset: preset, allowed_attributes: allowed, attributes: mapped } = provider;
  const known = withGroups(user);
  const source = preset === "eduperson" ? eduPerson(known, user.account) : known;
  const own = mapped.map(({ attribute, name, friendly_name, name_format }) => {
    const releasedName = name === "" ? attribute : name;
    const guessed = releasedName.includes(":") ? uri : basic;
    return {
      attribute,
      name: releasedName,
      friendlyName: friendly_name === "" ? undefined : friendly_name,
      nameFormat: name_format === "" ? guessed : name_format,
    };
  });
  const plain = allowed
    .filter((attribute) => mapped.every((other) => other.attribute !== attribute))
    .map((attribute) => ({ attribute, ...presetName(attribute, preset) }));
  return [...own, ...plain]
    .filter(({ attribute }) => !secretName.test(attribute))
    .map(({ attribute, ...rest }) => ({ ...rest, values: attributeOf(source, attribute) }))
    .filter(({ values }) => values.length > 0);
}

import type { DomainReport } from "@postern/shared/contracts";
import { domainsPage } from "../../services/admin/src/console/domains/domains-page.ts";

const first: DomainReport = {
  name: "a.example",
  found_as: "name",
  aliases: ["a.example.com", "xn--bcher-kva.example"],
  origin: "records",
  enabled: true,
  backends: [{ name: "ldap(a)", is_configured: true }],
  protocols: [],
  mail_credentials: "app_passwords",
  second_factor: "required",
  attributes: { tenant: ["seven"], plan: ["gold"] },
  operators: { helpdesk: ["mail-desk"], security: ["mail-security"] },
};

const others: readonly DomainReport[] = [
  {
    ...first,
    name: "b.example",
    aliases: [],
    backends: [{ name: "ldap", is_configured: true }],
    protocols: ["imap", "smtp"],
    mail_credentials: "any",
    second_factor: "optional",
    operators: {},
    attributes: {},
  },
  { ...first, name: "gone.example", aliases: [], enabled: false, message: "The contract has ended.", operators: {} },
];

const answer = { has_records: true, source: "sql", default_enabled: false };

/** The list, as operators of the site see it. */
export const domainsSample = domainsPage({
  list: { ...answer, domains: [first, ...others], next: "gone.example" },
  isOfSite: true,
});

/** The record of one, as its own operators see it. */
export const domainSample = domainsPage({ list: { ...answer, domains: [first] }, isOfSite: false });

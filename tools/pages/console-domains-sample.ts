import type { DomainReport } from "@postern/shared/contracts";
import { domainsPage } from "../../services/admin/src/console/domains/domains-page.ts";

const record: DomainReport = {
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

const signIns = {
  days: Array.from({ length: 14 }, (_, index) => ({
    date: `2030-05-${String(index + 1).padStart(2, "0")}`,
    successes: 100 + 20 * (index % 5),
    failures: index * 3,
  })),
  successes: 1920,
  failures: 273,
  last: "2030-05-14T09:41:10.000Z",
};

const first: DomainReport = {
  ...record,
  sign_ins: { ...signIns, accounts_since: "2030-04-25", accounts: 412, second_factors: 57, app_passwords: 33 },
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
  list: {
    ...answer,
    domains: [first, ...others],
    others: { ...signIns, successes: 3, failures: 1290 },
    next: "gone.example",
  },
  isOfSite: true,
});

/** The record of one, as its own operators see it. */
export const domainSample = domainsPage({ list: { ...answer, domains: [first] }, isOfSite: false });

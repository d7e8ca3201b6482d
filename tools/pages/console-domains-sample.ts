import type { DomainInEffect } from "@postern/shared/contracts";
import { domainsPage } from "../../services/admin/src/console/domains/domains-page.ts";

const first: DomainInEffect = {
  name: "a.example",
  aliases: ["a.example.com", "xn--bcher-kva.example"],
  origin: "records",
  enabled: true,
  backends: ["ldap(a)"],
  protocols: [],
  mail_credentials: "app_passwords",
  second_factor: "required",
  attributes: { tenant: ["seven"], plan: ["gold"] },
  operators: { helpdesk: ["mail-desk"], security: ["mail-security"] },
};

const others: readonly DomainInEffect[] = [
  {
    ...first,
    name: "b.example",
    aliases: [],
    backends: [],
    protocols: ["imap", "smtp"],
    mail_credentials: "any",
    second_factor: "optional",
    operators: {},
    attributes: {},
  },
  { ...first, name: "gone.example", aliases: [], enabled: false, message: "The contract has ended.", operators: {} },
];

const answer = { has_records: true, has_source: true };

/** The list, as operators of the site see it. */
export const domainsSample = domainsPage({
  name: "",
  answer: { ...answer, domains: [first, ...others], next: "gone.example" },
  isOfSite: true,
});

/** The record of one, as its own operators see it. */
export const domainSample = domainsPage({
  name: "",
  answer: { ...answer, has_source: false, domains: [first] },
  isOfSite: false,
});

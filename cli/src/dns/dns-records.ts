import {
  agentConfiguration,
  agentConfigurationDigest,
  agentConfigurationLabel,
  type MailServer,
  type MailServices,
} from "@postern/shared/domain/mail-clients";

/** A record to publish. Names are absolute. */
export interface DnsRecord {
  readonly name: string;
  readonly type: "SRV" | "CNAME" | "TXT";
  readonly value: string;
  /** The specification by which clients look it up. */
  readonly source: string;
}

const srvSource = "RFC 6186, RFC 8314";

/** RFC 6186 §3.4: a target of `.` says that a service is not offered. */
const notOffered = "0 0 0 .";

function srv(domain: string, service: string, server: MailServer | undefined): DnsRecord {
  const value = server === undefined ? notOffered : `0 1 ${server.port} ${server.host}.`;
  return { name: `_${service}._tcp.${domain}.`, type: "SRV", value, source: srvSource };
}

function over(server: MailServer | undefined, security: MailServer["security"]): MailServer | undefined {
  return server?.security === security ? server : undefined;
}

/** One record for each way to connect, so that clients do not try those that are not offered. */
function serverRecords({ domain, imap, pop3, smtp }: MailServices): readonly DnsRecord[] {
  return [
    srv(domain, "imaps", over(imap, "tls")),
    srv(domain, "imap", over(imap, "starttls")),
    srv(domain, "pop3s", over(pop3, "tls")),
    srv(domain, "pop3", over(pop3, "starttls")),
    srv(domain, "submissions", over(smtp, "tls")),
    srv(domain, "submission", over(smtp, "starttls")),
  ];
}

const cname = (name: string, host: string, source: string): DnsRecord => ({
  name: `${name}.`,
  type: "CNAME",
  value: `${host}.`,
  source,
});

function agentRecords(services: MailServices, host: string): readonly DnsRecord[] {
  const document = agentConfiguration(services);
  if (document === undefined) return [];
  const source = "draft-ietf-mailmaint-pacc";
  const name = `${agentConfigurationLabel}.${services.domain}`;
  return [
    cname(name, host, source),
    { name: `_${name}.`, type: "TXT", value: `"${agentConfigurationDigest(document)}"`, source },
  ];
}

/** The records of one mail domain by which clients find its servers and its settings. */
export function dnsRecords(services: MailServices, publicUrl: URL): readonly DnsRecord[] {
  const { domain } = services;
  const { hostname, port } = publicUrl;
  return [
    ...serverRecords(services),
    cname(`autoconfig.${domain}`, hostname, "Mozilla autoconfig"),
    cname(`autodiscover.${domain}`, hostname, "Microsoft Autodiscover"),
    {
      name: `_autodiscover._tcp.${domain}.`,
      type: "SRV",
      value: `0 1 ${port === "" ? "443" : port} ${hostname}.`,
      source: "Microsoft Autodiscover",
    },
    ...agentRecords(services, hostname),
  ];
}

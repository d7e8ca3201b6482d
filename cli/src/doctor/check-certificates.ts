import type { X509Certificate } from "node:crypto";
import { type Config, ownCertificates, readOwnCertificate } from "@postern/shared/platform/config";
import { certificateOf, judgeDates } from "./certificate-dates.ts";
import { type Check, type Finding, findingsOf } from "./finding.ts";
import { tlsServers } from "./tls-places.ts";

function judged(certificate: X509Certificate | undefined, subject: string, what: string): readonly Finding[] {
  if (certificate === undefined) return [];
  const dated = judgeDates(certificate.validFromDate, certificate.validToDate, Date.now());
  if (dated === undefined) return [];
  return [findingsOf(subject)[dated.severity](`${what} ${dated.words}`, "renew the certificate")];
}

/** Dates of Postern's own certificates, and of those that LDAP, NATS and Redis present. */
export function certificateChecks(config: Config, timeoutMs: number): readonly Check[] {
  const own = ownCertificates(config).map((one): Check => {
    const subject = `certificate ${one.key}`;
    return { subject, run: async () => judged(readOwnCertificate(one), subject, one.file || "the certificate") };
  });
  const others = tlsServers(config).map(({ key, server }): Check => {
    const subject = `certificate ${key}`;
    const run = async (): Promise<readonly Finding[]> => {
      // An unreachable server is a finding of its connection check.
      const certificate = await certificateOf(server, timeoutMs).catch(() => undefined);
      return judged(certificate, subject, `the certificate of ${server.host}:${server.port}`);
    };
    return { subject, run };
  });
  return [...own, ...others];
}

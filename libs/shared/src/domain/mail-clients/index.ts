export { agentConfiguration, agentConfigurationDigest, agentConfigurationLabel } from "./agent-configuration.ts";
export { type MailServer, type MailServices, type MailServiceTable, mailServiceTable } from "./mail-services.ts";

export {
  agentConfiguration,
  agentConfigurationDigest,
  agentConfigurationLabel,
  type MailServer,
  type MailServices,
  type MailServiceTable,
  mailServiceTable,
} from "./mail-services.ts";

export { type MailMessage, type MailServer, type MailTls, mailTlsModes, sendMail } from "./send-mail.ts";

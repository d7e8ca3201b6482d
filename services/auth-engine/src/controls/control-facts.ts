/** What the controls found out; absent where a control is off or did not look. */
export interface ControlFacts {
  tlsSecure?: boolean;
  relayDomainKnown?: boolean;
  rblScore?: number;
  /** Names of the lists that have the client. */
  rblListed?: readonly string[];
  /** The control that ended the decision. */
  rejectedBy?: string;
}

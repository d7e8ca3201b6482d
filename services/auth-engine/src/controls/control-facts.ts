/** Findings of the controls; absent if a control is disabled or did not check. */
export interface ControlFacts {
  tlsSecure?: boolean;
  relayDomainKnown?: boolean;
  rblScore?: number;
  /** Names of the block lists that contain the client. */
  rblListed?: readonly string[];
  /** The control that ended the decision. */
  rejectedBy?: string;
}

/** How a service provider is notified of a logout: over SOAP, through the browser, or not at all. */
export const channels = ["soap", "browser", "none"] as const;
export type Channel = (typeof channels)[number];

/** Result of notifying a service provider of a logout; every result except `retried` is final. */
export const deliveryResults = ["done", "refused", "retried", "given_up", "no_answer", "not_told"] as const;
export type DeliveryResult = (typeof deliveryResults)[number];

export interface DeliveryReport {
  readonly channel: Channel;
  readonly result: DeliveryResult;
  readonly entityId: string;
  /** Status in the service provider's response. */
  readonly status?: string | undefined;
}

/**
 * A planned change from a NATS server that is shutting down to another one. Requests that are made in the meantime wait for it.
 */
export interface ServerChange {
  readonly isUnderWay: () => boolean;
  readonly begin: () => void;
  /** The connection is being replaced: from now on, the change may take three seconds. */
  readonly replacing: () => void;
  /** There is a connection again, or none is wanted. */
  readonly end: () => void;
}

/** Longer than one server that does not answer takes. */
const maxMs = 3000;

/** @param onGivenUp called if no server has accepted the connection in time */
export function createServerChange(onGivenUp: () => void): ServerChange {
  let isUnderWay = false;
  let timer: NodeJS.Timeout | undefined;
  const end = (): void => {
    isUnderWay = false;
    clearTimeout(timer);
  };
  return {
    isUnderWay: () => isUnderWay,
    begin: () => {
      isUnderWay = true;
    },
    replacing: () => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        end();
        onGivenUp();
      }, maxMs);
      timer.unref();
    },
    end,
  };
}

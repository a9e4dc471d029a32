/** How a message came. */
export interface Delivery {
  /** The peer that brought it, whoever wrote it. */
  readonly from: string
  /** Sends it on to the others. What no signature covers is passed on only when it was found true. */
  readonly passOn: () => void
}

/** Of what this node wrote: the others have it already. */
export const OWN_DELIVERY: Delivery = { from: 'self', passOn: () => {} }

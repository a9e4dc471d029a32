/** The order is the code on the wire: append only. */
export const FRAME_TYPES = [
  'call',
  'callcode',
  'delegatecall',
  'staticcall',
  'create',
  'create2',
  'selfdestruct',
] as const
export type FrameType = (typeof FRAME_TYPES)[number]

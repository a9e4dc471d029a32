/**
 * How much of its caller's requests per minute a call of a method takes (`--rpc-user-limits`). It stands for what is done on
 * the threads that hold connections; time on engines is measured.
 */
export const COST_CLASSES = {
  /** Ends something that costs: it is taken whatever the caller has used. */
  free: 0,
  light: 1,
  /** Reads a block with all that belongs to it, or executes code. */
  medium: 5,
  /** Reads many blocks, or makes long answers. */
  heavy: 20,
} as const

export type CostClass = keyof typeof COST_CLASSES

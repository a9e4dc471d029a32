/** Requests that a call counts for in `--rpc-user-limits`. Engine time is measured separately. */
export const COST_CLASSES = {
  /** Ends something costly, so it is accepted whatever the caller has used. */
  free: 0,
  light: 1,
  /** Reads a complete block, or executes code. */
  medium: 5,
  /** Reads many blocks, or makes long answers. */
  heavy: 20,
} as const

export type CostClass = keyof typeof COST_CLASSES

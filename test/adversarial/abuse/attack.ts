export interface Target {
  readonly http: number
  readonly websocket: number
  /** The node's limit for one body. */
  readonly bodyMaxBytes: number
}

export interface AttackPlan {
  readonly seed: number
  readonly count: number
  readonly seconds: number
}

/** Resolves with one line about the attack and its outcome. */
export type Attack = (target: Target, plan: AttackPlan) => Promise<string>

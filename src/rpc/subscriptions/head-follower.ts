/** Follows the head block by block, for all subscriptions of a server at once. */
import type { ChainView, HeadMark } from '#chain/read/chain-view.ts'
import type { Clock } from '#platform/clock.ts'
import type { Log } from '#platform/log/log.ts'
import { nextTurn } from '#platform/next-turn.ts'
import type { HeadsSource } from '#rpc/resources.ts'
import { type HeadStep, markOf, stepTowards } from './head-step.ts'

export interface FollowerParts {
  readonly chain: ChainView
  readonly heads: HeadsSource
  readonly clock: Clock
  readonly log: Log
}

export interface FollowerMember {
  readonly isOpen: boolean
}

/** Those who heard of the same blocks: most often all. Who comes while others are behind the head is not. */
interface Group<Member> {
  /** The block that they heard of last, or are hearing of. */
  position: HeadMark
  readonly members: Set<Member>
}

/** While nobody follows, it listens to nothing. */
export class HeadFollower<Member extends FollowerMember> {
  readonly #parts: FollowerParts
  readonly #prepare: (step: HeadStep) => (member: Member) => void
  readonly #groups = new Set<Group<Member>>()
  readonly #groupOf = new Map<Member, Group<Member>>()
  #head: HeadMark | undefined
  #stopListening: (() => void) | undefined
  #isWalking = false

  /** `prepare` is asked once for each block, so that what all need of it is read once. */
  constructor(parts: FollowerParts, prepare: (step: HeadStep) => (member: Member) => void) {
    this.#parts = parts
    this.#prepare = prepare
  }

  /** Hears of what comes after `position`, and is told first if that block has left the chain. */
  join(member: Member, position = markOf(this.#parts.chain.head())): void {
    this.#begin()
    let group = this.#groups.values().find((each) => each.position.hash === position.hash)
    if (group === undefined) {
      group = { position, members: new Set() }
      this.#groups.add(group)
    }
    group.members.add(member)
    this.#groupOf.set(member, group)
    void this.#walk()
  }

  leave(member: Member): void {
    const group = this.#groupOf.get(member)
    if (group === undefined) return
    this.#groupOf.delete(member)
    group.members.delete(member)
    if (group.members.size === 0) this.#groups.delete(group)
    if (this.#groupOf.size > 0) return
    this.#stopListening?.()
    this.#head = undefined
  }

  #begin(): void {
    if (this.#head !== undefined) return
    const { chain, heads } = this.#parts
    this.#head = markOf(chain.head())
    this.#stopListening = heads.onMoved((head) => {
      this.#head = head
      void this.#walk()
    })
  }

  /** Never rejects. */
  async #walk(): Promise<void> {
    if (this.#isWalking) return
    this.#isWalking = true
    const pace = new Pace(this.#parts.clock)
    try {
      while (await this.#round(pace));
    } catch (err) {
      this.#parts.log.error('Subscribers were not told of a block.', { err })
    } finally {
      this.#isWalking = false
    }
  }

  /** A block for each group that is not at the head. False: all are. */
  async #round(pace: Pace): Promise<boolean> {
    let hasMoved = false
    for (const group of this.#groups) {
      if (this.#head === undefined) return false
      const step = stepTowards(this.#parts.chain, group.position, this.#head)
      if (step === undefined) continue
      hasMoved = true
      // Who joins while the others are told of this block stands behind it.
      group.position = step.position
      const tell = this.#prepare(step)
      for (const member of [...group.members]) {
        if (member.isOpen) tell(member)
        await pace.rest()
      }
    }
    this.#merge()
    return hasMoved
  }

  #merge(): void {
    if (this.#groups.size < 2) return
    const byPosition = new Map<string, Group<Member>>()
    for (const group of this.#groups) {
      const first = byPosition.get(group.position.hash)
      if (first === undefined) {
        byPosition.set(group.position.hash, group)
        continue
      }
      for (const member of group.members) {
        first.members.add(member)
        this.#groupOf.set(member, first)
      }
      this.#groups.delete(group)
    }
  }
}

/** Requests on the same thread wait no longer than this for work that nobody asked for just now. */
const SLICE_MS = 4

/** Long work in slices: whoever does it asks for a rest where it can bear one. */
class Pace {
  readonly #clock: Clock
  #sinceMs: number

  constructor(clock: Clock) {
    this.#clock = clock
    this.#sinceMs = clock.monotonicMs()
  }

  /** undefined: there is time left, go on. */
  rest(): Promise<void> | undefined {
    if (this.#clock.monotonicMs() - this.#sinceMs < SLICE_MS) return undefined
    return nextTurn().then(() => {
      this.#sinceMs = this.#clock.monotonicMs()
    })
  }
}

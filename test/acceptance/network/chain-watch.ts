/** Reads every block of every node, compares them, and measures the longest time without a block. */
import assert from 'node:assert/strict'
import type { Member } from './member.ts'

const LOOK_EVERY_MS = 200

export class ChainWatch {
  readonly #members: readonly Member[]
  readonly #hashes = new Map<number, string>()
  readonly #mined = new Map<string, number>()
  /** The last height read from each node. */
  readonly #read = new Map<Member, number>()
  #height = 0
  #newestMs = performance.now()
  #longestMs = 0
  #problem: Error | undefined
  #isStopped = false

  constructor(members: readonly Member[]) {
    this.#members = members
  }

  /** The highest block of any node. */
  get height(): number {
    return this.#height
  }

  get transactions(): number {
    return this.#mined.size
  }

  start(): void {
    this.#newestMs = performance.now()
    void this.#run()
  }

  stop(): void {
    this.#isStopped = true
  }

  /** Restarts the measurement of the longest time without a block. */
  mark(): void {
    this.#longestMs = 0
    this.#newestMs = performance.now()
  }

  /** The longest time without a block since the mark, including the time since the last block. */
  get longestGapMs(): number {
    return Math.max(this.#longestMs, performance.now() - this.#newestMs)
  }

  requireOneChain(): void {
    if (this.#problem !== undefined) throw this.#problem
  }

  /** Requires each transaction exactly once in the chain, up to a block that all nodes have. */
  async requireEachOnce(hashes: ReadonlySet<string>, reached: number): Promise<void> {
    while (!this.#isStopped && this.#members.some((one) => one.isRunning && this.#readTo(one) < reached)) {
      this.requireOneChain()
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
    }
    this.requireOneChain()
    const lost = [...hashes].filter((hash) => !this.#mined.has(hash))
    assert.deepEqual(lost.slice(0, 5), [], `${lost.length} accepted transactions are not in the chain`)
  }

  async #run(): Promise<void> {
    while (!this.#isStopped) {
      await Promise.all(
        this.#members.map((member) =>
          this.#look(member).catch((error: unknown) => {
            // A node that is stopping may not answer. Only a wrong answer is a problem.
            if (error instanceof assert.AssertionError) this.#problem ??= error
          }),
        ),
      )
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
    }
  }

  async #look(member: Member): Promise<void> {
    if (!member.isRunning) return
    const head = await member.head()
    this.#note(head)
    for (let number = this.#readTo(member) + 1; number <= head; number++) {
      const block = await member.block(number)
      if (block === undefined) return
      this.#compare(member, number, block.hash)
      for (const hash of block.transactions) {
        const earlier = this.#mined.get(hash) ?? number
        assert.equal(earlier, number, `transaction ${hash} is in two blocks`)
        this.#mined.set(hash, number)
      }
      this.#read.set(member, number)
    }
  }

  #compare({ name }: Member, number: number, hash: string): void {
    const known = this.#hashes.get(number) ?? hash
    assert.equal(hash, known, `${name} has a different block ${number}`)
    this.#hashes.set(number, hash)
  }

  #note(head: number): void {
    if (!(head > this.#height)) return
    const nowMs = performance.now()
    this.#longestMs = Math.max(this.#longestMs, nowMs - this.#newestMs)
    this.#newestMs = nowMs
    this.#height = head
  }

  #readTo(member: Member): number {
    return this.#read.get(member) ?? 0
  }
}

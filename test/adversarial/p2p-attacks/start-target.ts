import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { type Enode, parseEnode } from '#types/enode.ts'
import type { Feeling } from './target.ts'

export interface Target {
  readonly to: Enode
  readonly pid: number
  feel(): Promise<Feeling>
  end(): void
}

/** Starts a node in its own process, which reports its resource usage. */
export async function startTarget(host = '127.0.0.1', execArgv: readonly string[] = []): Promise<Target> {
  const target = fork(join(import.meta.dirname, 'target.ts'), [host], { execArgv: [...execArgv] })
  const [enode] = (await once(target, 'message')) as [string]
  return {
    to: parseEnode(enode),
    pid: target.pid!,
    async feel() {
      target.send('feel')
      const [feeling] = (await once(target, 'message')) as [Feeling]
      return feeling
    },
    end: () => void target.kill(),
  }
}

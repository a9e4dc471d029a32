/* Attacks on the wires, with limits on what the node may feel. CAIRN_WRITE_ATTACKS=1 writes the table of docs/security/p2p.md. */
import assert from 'node:assert/strict'
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { systemClock } from '#platform/clock.ts'
import { parseEnode } from '#types/enode.ts'
import { ATTACKS, type Attack } from './attacks.ts'
import type { Feeling } from './target.ts'

const GROWTH_MAX_BYTES = 50 * 1024 * 1024
const LAG_MAX_MS = 200
const SOCKETS_GONE_MS = 6_000

const target: ChildProcess = fork(join(import.meta.dirname, 'target.ts'))
const [enode] = (await once(target, 'message')) as [string]
const to = parseEnode(enode)
after(() => target.kill())

async function feel(): Promise<Feeling> {
  target.send('feel')
  const [feeling] = (await once(target, 'message')) as [Feeling]
  return feeling
}

const rows: string[] = []

for (const attack of ATTACKS) {
  test(`the node withstands ${attack.name}`, async () => {
    const felt = await withstand(attack)
    assert.ok(felt.lagMs < LAG_MAX_MS, `others waited for ${Math.round(felt.lagMs)} ms`)
    const megabytes = Math.max(0, felt.growthBytes / 1e6).toFixed(0)
    rows.push(
      `| ${attack.name} | ${megabytes} MB | ${felt.lagMs.toFixed(0)} ms | ${felt.cpuMs.toFixed(0)} ms |`,
    )
  })
}

async function withstand(attack: Attack): Promise<{ growthBytes: number; lagMs: number; cpuMs: number }> {
  const before = await feel()
  await attack.run(to)
  const during = await feel()
  const endMs = systemClock.monotonicMs() + SOCKETS_GONE_MS
  let last = during
  while (last.sockets > 0 && systemClock.monotonicMs() < endMs) {
    await new Promise((resolve) => void setTimeout(resolve, 100))
    last = await feel()
  }
  const growthBytes = during.rssBytes - before.rssBytes
  assert.equal(last.sockets, 0, 'sockets are open')
  assert.equal(last.peers, 0)
  assert.ok(growthBytes < GROWTH_MAX_BYTES, `memory grew by ${Math.round(growthBytes / 1e6)} MB`)
  return { growthBytes, lagMs: during.lagMs, cpuMs: during.cpuMs - before.cpuMs }
}

test('the table of results is written when it is asked for', () => {
  assert.equal(rows.length, ATTACKS.length)
  if (process.env.CAIRN_WRITE_ATTACKS !== '1') return
  const path = join(import.meta.dirname, '..', '..', 'docs', 'security', 'p2p.md')
  writeFileSync(path, `${INTRODUCTION}${rows.join('\n')}\n`)
})

const INTRODUCTION = `# Attacks on the wires

Written by \`CAIRN_WRITE_ATTACKS=1 node --test test/p2p-attacks/p2p-attacks.test.ts\`, which fails when memory grows by
more than 50 MB, the node computes for more than 200 ms without giving others their turn, or a socket of the attacker is open 6 s later. One node in a process
of its own, on loopback; the numbers are of one run on a machine with other work.

| Attack | Memory grew by | Longest turn | CPU of the node |
|---|---|---|---|
`

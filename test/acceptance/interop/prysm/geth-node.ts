/** Geth as the execution client of a pair. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { pause, systemClock } from '#platform/clock.ts'
import { freePort } from '../../../support/free-port.ts'
import { ownChild } from '../../../support/own-child.ts'
import type { RunningNode } from '../../../support/running-node.ts'

const POLL_MS = 200
const START_MAX_MS = 60_000

export type ExecutionClient = Pick<RunningNode, 'http' | 'output' | 'stop' | 'kill'>

export interface GethPlace {
  readonly genesisFile: string
  readonly jwtFile: string
  readonly data: string
  readonly networkId: bigint
  readonly p2pPort: number
  readonly enginePort: number
}

/** Resolves when its JSON-RPC port is open. */
export async function startGeth(program: string, place: GethPlace): Promise<ExecutionClient> {
  const data = `--datadir=${place.data}`
  if (!existsSync(place.data)) execFileSync(program, [data, 'init', place.genesisFile], { stdio: 'pipe' })
  const http = await freePort()
  const child = spawn(
    program,
    [
      ...[data, `--networkid=${place.networkId}`, '--syncmode=full', '--ipcdisable', '--nat=none'],
      ...['--netrestrict=127.0.0.0/8', '--nodiscover', '--bootnodes=', `--port=${place.p2pPort}`],
      ...[`--authrpc.port=${place.enginePort}`, `--authrpc.jwtsecret=${place.jwtFile}`],
      ...['--http', `--http.port=${http}`, '--http.api=eth,net,admin,txpool'],
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  )
  ownChild(child)
  let output = ''
  child.stderr.on('data', (text: Buffer) => {
    output += text
  })
  const exited = once(child, 'exit').then(([code]) => code as number | null)
  const endsAtMs = systemClock.monotonicMs() + START_MAX_MS
  while (!output.includes('HTTP server started')) {
    if (child.exitCode !== null || systemClock.monotonicMs() > endsAtMs)
      throw new Error(`Geth did not start:\n${output}`)
    await pause(systemClock, POLL_MS)
  }
  return {
    http,
    output: () => output,
    stop: () => {
      child.kill('SIGTERM')
      return exited
    },
    kill: async () => {
      child.kill('SIGKILL')
      await exited
    },
  }
}

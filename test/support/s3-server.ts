/** A real S3 server: versitygw from Go's module proxy, over a temporary folder. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { freePort } from './free-port.ts'
import { findGoProgram, type GoProgram } from './go-program.ts'

const VERSITYGW: GoProgram = {
  name: 'versitygw',
  from: 'github.com/versity/versitygw/cmd/versitygw',
  version: 'v1.8.0',
}
const ACCESS_KEY = 'cairn-archive'
const SECRET_KEY = 'a+secret/that=never&appears'
const START_MS = 20_000
const POLL_MS = 25

export interface S3Server {
  /** Server and bucket. */
  readonly url: string
  readonly credentialsFile: string
  /** Never in a log or an error. */
  readonly secretKey: string
  /** Objects are files in this folder. */
  readonly bucket: string
  /** Ends it at once. */
  kill(): Promise<void>
  /** Starts it again on the same port. */
  restart(): Promise<void>
}

/** Undefined if Go is missing; CI has it. */
export function findS3Server(): string | undefined {
  return findGoProgram(VERSITYGW)
}

export async function startS3Server(context: Pick<TestContext, 'after'>, program: string): Promise<S3Server> {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-s3-'))
  const root = join(folder, 'root')
  const sidecar = join(folder, 'sidecar')
  const bucket = join(root, 'history')
  for (const each of [root, sidecar, bucket]) mkdirSync(each)
  const credentialsFile = join(folder, 'credentials')
  writeFileSync(credentialsFile, `${ACCESS_KEY}\n${SECRET_KEY}\n`, { mode: 0o600 })
  const port = await freePort()
  const args = ['--port', `127.0.0.1:${port}`, '--quiet', '--keep-alive', 'posix', '--sidecar', sidecar, root]
  const env = { ...process.env, ROOT_ACCESS_KEY_ID: ACCESS_KEY, ROOT_SECRET_ACCESS_KEY: SECRET_KEY }
  const start = async () => {
    const child = spawn(program, args, { stdio: 'ignore', env })
    for (let waited = 0; !(await isOpen(port)); waited += POLL_MS) {
      assert.ok(waited < START_MS && child.exitCode === null, 'versitygw listens')
      await setTimeout(POLL_MS)
    }
    return child
  }
  let child = await start()
  const kill = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  context.after(async () => {
    await kill()
    rmSync(folder, { recursive: true, force: true })
  })
  return {
    url: `http://127.0.0.1:${port}/history`,
    credentialsFile,
    secretKey: SECRET_KEY,
    bucket,
    kill,
    restart: async () => {
      child = await start()
    },
  }
}

async function isOpen(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}

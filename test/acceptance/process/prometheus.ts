/** Runs Debian's Prometheus. */
import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { freePort } from '../../support/free-port.ts'
import { killChild, ownChild } from '../../support/own-child.ts'
import { temporaryDirectory } from '../../support/program.ts'

const ASK_EVERY_MS = 200
const START_MAX_MS = 60_000

/** Returns the reason to skip, if Prometheus is missing. In CI a missing program is a failure. */
export function withoutPrometheus(): string | undefined {
  if (process.env.CI === 'true') return undefined
  const isThere = ['prometheus', 'promtool'].every((name) => spawnSync(name, ['--version']).status === 0)
  return isThere ? undefined : 'prometheus is not installed (in Debian: the package prometheus)'
}

export interface Sample {
  readonly metric: Readonly<Record<string, string>>
  readonly value: readonly [seconds: number, value: string]
}

export class Prometheus {
  readonly #url: string

  private constructor(port: number) {
    this.#url = `http://127.0.0.1:${port}`
  }

  /** Scrapes every target each second; targets are host:port by job. */
  static async start(
    context: TestContext,
    jobs: Readonly<Record<string, readonly string[]>>,
    rulesFile: string,
  ): Promise<Prometheus> {
    const folder = temporaryDirectory(context)
    mkdirSync(join(folder, 'data'))
    const config = {
      global: { scrape_interval: '1s', evaluation_interval: '1s' },
      rule_files: [rulesFile],
      scrape_configs: Object.entries(jobs).map(([job, targets]) => ({
        job_name: job,
        static_configs: [{ targets }],
      })),
    }
    // JSON is valid YAML.
    writeFileSync(join(folder, 'prometheus.yml'), JSON.stringify(config))
    const port = await freePort()
    const child = spawn(
      'prometheus',
      [
        `--config.file=${join(folder, 'prometheus.yml')}`,
        `--storage.tsdb.path=${join(folder, 'data')}`,
        `--web.listen-address=127.0.0.1:${port}`,
      ],
      { stdio: ['ignore', 'ignore', 'pipe'] },
    )
    ownChild(child)
    let said = ''
    child.stderr.on('data', (piece) => {
      said = `${said}${piece}`.slice(-8_000)
    })
    context.after(() => killChild(child))
    const prometheus = new Prometheus(port)
    await prometheus.until(async () => {
      if (child.exitCode !== null) throw new Error(`Prometheus did not start:\n${said}`)
      const answer = await fetch(`${prometheus.#url}/-/ready`).catch(() => undefined)
      return answer?.ok === true
    })
    return prometheus
  }

  async get<Data>(path: string): Promise<Data> {
    const answer = await fetch(`${this.#url}/api/v1/${path}`)
    const { status, data, error } = (await answer.json()) as { status: string; data: Data; error?: string }
    if (status !== 'success') throw new Error(`${path}: ${error}`)
    return data
  }

  async query(expr: string): Promise<readonly Sample[]> {
    const { result } = await this.get<{ result: Sample[] }>(`query?query=${encodeURIComponent(expr)}`)
    return result
  }

  async until(isSo: () => Promise<boolean>): Promise<void> {
    const endMs = performance.now() + START_MAX_MS
    while (!(await isSo())) {
      if (performance.now() > endMs) throw new Error(`timed out waiting for ${isSo}`)
      await new Promise((resolve) => setTimeout(resolve, ASK_EVERY_MS))
    }
  }
}

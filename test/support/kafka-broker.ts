/** An Apache Kafka broker from Maven, kept in a cache folder outside the checkout. */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { cacheFolder } from '../../scripts/build-native.ts'
import { installOnce } from '../../scripts/install-once.ts'
import { freePort } from './free-port.ts'
import { killChild, ownChild } from './own-child.ts'
import { temporaryDirectory } from './program.ts'

const VERSION = '4.3.1'
const FOLDER = `kafka-${VERSION}`
const LEAST_JAVA = 17
const PACKAGES = [
  ['org.apache.kafka', 'kafka_2.13', VERSION],
  ['org.apache.kafka', 'kafka-tools', VERSION],
  ['org.slf4j', 'slf4j-simple', '1.7.36'],
] as const
const COPY = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies'
const START_MAX_MS = 90_000
/** Any 16 bytes. */
const CLUSTER_ID = Buffer.from('cairn-kafka-test').toString('base64url')
/** The process is short-lived, so start-up time counts more than compiled code. */
const JAVA_FLAGS = ['-Xmx512m', '-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC']

/** The reason why it cannot run on this machine, if any. In CI, Java without Maven is a mistake. */
export function withoutKafka(): string | undefined {
  const version = /version "(\d+)/.exec(
    spawnSync('java', ['-version'], { encoding: 'utf8' }).stderr ?? '',
  )?.[1]
  if (version === undefined || Number(version) < LEAST_JAVA)
    return `there is no Java ${LEAST_JAVA} to run Kafka`
  if (process.env.CI === 'true' || existsSync(join(cacheFolder(), FOLDER, 'complete'))) return undefined
  const hasMaven = spawnSync('mvn', ['-version'], { stdio: 'ignore' }).status === 0
  return hasMaven ? undefined : 'there is no Maven to fetch Kafka'
}

/** Installs it once on this machine; returns the class path. */
function installKafka(): string {
  const folder = installOnce(FOLDER, (empty) => {
    console.log(`Fetching Kafka ${VERSION}, once on this machine.`)
    const libraries = join(empty, 'libs')
    rmSync(libraries, { recursive: true, force: true })
    const project = join(empty, 'pom.xml')
    writeFileSync(project, projectText())
    const args = ['-B', '-q', '-f', project, COPY, `-DoutputDirectory=${libraries}`]
    execFileSync('mvn', args, { stdio: ['ignore', 2, 2] })
  })
  return join(folder, 'libs', '*')
}

function projectText(): string {
  const own = '<groupId>test</groupId><artifactId>broker</artifactId><version>1</version>'
  const dependencies = PACKAGES.map(
    ([group, artifact, version]) =>
      `<dependency><groupId>${group}</groupId><artifactId>${artifact}</artifactId><version>${version}</version></dependency>`,
  )
  return `<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>${own}<dependencies>${dependencies.join('')}</dependencies></project>\n`
}

export interface KafkaBroker {
  /** host:port */
  readonly address: string
  /** Resolves when it accepts messages; after a kill it continues with its data on disk. */
  start(): Promise<void>
  /** Kills the process, like a power cut. */
  kill(): Promise<void>
}

/** One process that is both broker and controller, with its own disk folder. */
export async function makeBroker(context: TestContext): Promise<KafkaBroker> {
  const classPath = installKafka()
  const folder = temporaryDirectory(context)
  const settings = join(folder, 'server.properties')
  const port = await freePort()
  writeFileSync(settings, settingsText(join(folder, 'logs'), port, await freePort()))
  const java = (...args: string[]) => [...JAVA_FLAGS, '-cp', classPath, ...args]
  execFileSync('java', java('kafka.tools.StorageTool', 'format', '-t', CLUSTER_ID, '-c', settings), {
    stdio: 'pipe',
  })
  let child: ChildProcess | undefined
  const kill = async (): Promise<void> => {
    if (child === undefined) return
    const ending = child
    child = undefined
    await killChild(ending)
  }
  context.after(kill)
  return {
    address: `127.0.0.1:${port}`,
    kill,
    async start() {
      child = spawn('java', java('kafka.Kafka', settings), { stdio: ['ignore', 'pipe', 'pipe'] })
      ownChild(child)
      await untilStarted(child)
    },
  }
}

function settingsText(logs: string, port: number, controllerPort: number): string {
  const settings = {
    'process.roles': 'broker,controller',
    'node.id': 1,
    'controller.quorum.voters': `1@127.0.0.1:${controllerPort}`,
    'controller.listener.names': 'CONTROLLER',
    listeners: `PLAINTEXT://127.0.0.1:${port},CONTROLLER://127.0.0.1:${controllerPort}`,
    'advertised.listeners': `PLAINTEXT://127.0.0.1:${port}`,
    'listener.security.protocol.map': 'PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT',
    'log.dirs': logs,
    'auto.create.topics.enable': false,
    'offsets.topic.replication.factor': 1,
    'offsets.topic.num.partitions': 1,
    'transaction.state.log.replication.factor': 1,
    'transaction.state.log.min.isr': 1,
    'group.initial.rebalance.delay.ms': 0,
    // A killed broker can return when its old session has expired.
    'broker.session.timeout.ms': 3_000,
    'broker.heartbeat.interval.ms': 500,
  }
  return Object.entries(settings)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('')
}

async function untilStarted(child: ChildProcess): Promise<void> {
  const started = Promise.withResolvers<void>()
  let output = ''
  const fail = () => started.reject(new Error(`the broker did not start:\n${output.slice(-4_000)}`))
  const look = (text: Buffer): void => {
    output += text
    if (output.includes('Kafka Server started')) started.resolve()
  }
  const streams = [child.stdout!, child.stderr!]
  for (const stream of streams) stream.on('data', look)
  child.once('exit', fail)
  const overdue = setTimeout(fail, START_MAX_MS)
  try {
    await started.promise
  } finally {
    clearTimeout(overdue)
    child.off('exit', fail)
    // Later output must still be read, or the process would block.
    for (const stream of streams) stream.off('data', look).resume()
  }
}

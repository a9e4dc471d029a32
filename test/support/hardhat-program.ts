import { mkdtempSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { installNpmPackages } from './npm-packages.ts'

const VERSION = '3.18.0'
/** Its engine is one package per kind of machine, which npm omits if a registry does not declare the kinds. */
const PACKAGES = [
  `hardhat@${VERSION}`,
  '@nomicfoundation/edr-linux-x64-gnu@0.22.0',
  '@nomicfoundation/hardhat-ethers@4.2.0',
  '@nomicfoundation/hardhat-ethers-chai-matchers@3.0.11',
  '@nomicfoundation/hardhat-ignition@3.1.8',
  '@nomicfoundation/hardhat-mocha@4.0.0',
  '@nomicfoundation/hardhat-network-helpers@3.0.11',
  '@nomicfoundation/hardhat-node-test-runner@3.1.0',
  '@nomicfoundation/hardhat-viem@3.0.9',
  '@nomicfoundation/hardhat-viem-assertions@3.1.3',
  'viem@2.57.1',
  'ethers@6.17.0',
  'mocha@12.0.3',
  'chai@6.3.0',
]

/** The reason why it cannot run on this machine, if any. */
export function withoutHardhat(): string | undefined {
  const { platform, arch } = process
  return platform === 'linux' && arch === 'x64' ? undefined : `no engine of hardhat for ${platform}-${arch}`
}

export interface HardhatProject {
  readonly folder: string
  /** Its command line, for Node. */
  readonly program: string
  readonly env: NodeJS.ProcessEnv
}

/** Installs it once on this machine, outside any checkout; returns the folder. */
export function installHardhat(): string {
  return installNpmPackages(`hardhat-${VERSION}-ethers-viem-ignition-helpers-mocha`, PACKAGES)
}

/** A new folder for a hardhat project. */
export function makeHardhatProject(config: string): HardhatProject {
  const installed = installHardhat()
  const folder = mkdtempSync(join(tmpdir(), 'cairn-hardhat-'))
  writeFileSync(join(folder, 'package.json'), '{"type":"module","private":true}')
  writeFileSync(join(folder, 'hardhat.config.js'), config)
  symlinkSync(join(installed, 'node_modules'), join(folder, 'node_modules'))
  return {
    folder,
    program: join(installed, 'node_modules', 'hardhat', 'dist', 'src', 'cli.js'),
    env: { ...process.env, HARDHAT_DISABLE_TELEMETRY_PROMPT: 'true' },
  }
}

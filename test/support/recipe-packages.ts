import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { CHECKOUT } from './copy-checkout.ts'
import { installHardhat } from './hardhat-program.ts'
import { installNpmPackages } from './npm-packages.ts'

/** Packages that pages of the documentation install, without those of the checkout and of Hardhat. */
const PACKAGES = [
  '@foundry-rs/forge@1.7.1',
  '@tanstack/react-query@5.107.1',
  '@testing-library/react@16.3.3',
  'happy-dom@21.0.4',
  'jest@30.5.2',
  'prool@0.2.16',
  'react-dom@19.3.1',
  'react@19.3.1',
  'viem@2.57.1',
  'vitest@5.1.0',
  'wagmi@3.7.7',
]

/** Installs the packages once on this machine, outside any checkout; returns the folder. */
export function installRecipePackages(): string {
  const digest = createHash('sha256').update(PACKAGES.join(' ')).digest('hex')
  return installNpmPackages(`recipes-${digest.slice(0, 12)}`, PACKAGES)
}

/** Gives a project a package (`name@version`) and its programs, without the registry. */
export function linkRecipePackage(project: string, wanted: string): void {
  const [, name, version] = /^(.+)@([^@]+)$/.exec(wanted)!
  for (const place of [() => CHECKOUT, installRecipePackages, installHardhat]) {
    const source = join(place(), 'node_modules', name!)
    if (existsSync(source) && readPackage(source).version === version) {
      linkPackage(project, source)
      return
    }
  }
  throw new Error(`${wanted} is not installed here. Add it to the list in test/support/recipe-packages.ts.`)
}

/** Links an installed package and its programs into a project. */
export function linkPackage(project: string, source: string): void {
  const { name, bin = {} } = readPackage(source)
  const modules = join(project, 'node_modules')
  const target = join(modules, name)
  mkdirSync(join(modules, '.bin'), { recursive: true })
  mkdirSync(dirname(target), { recursive: true })
  if (!existsSync(target)) symlinkSync(source, target)
  const programs = typeof bin === 'string' ? { [name]: bin } : bin
  for (const [program, file] of Object.entries(programs)) {
    const link = join(modules, '.bin', program)
    if (!existsSync(link)) symlinkSync(join(target, file), link)
  }
}

interface PackageFile {
  readonly name: string
  readonly version: string
  readonly bin?: string | Readonly<Record<string, string>>
}

function readPackage(folder: string): PackageFile {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as PackageFile
}

/** Builds the documentation site as `npm run docs -- build` does, and follows every link. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, posix } from 'node:path'
import { after, before, test } from 'node:test'
import { CHECKOUT } from '../../support/copy-checkout.ts'

const VITEPRESS = join(CHECKOUT, 'node_modules/vitepress/bin/vitepress.js')
const DOCS = join(CHECKOUT, 'docs')
const site = mkdtempSync(join(tmpdir(), 'cairn-site-'))

before(() => {
  assert.ok(existsSync(VITEPRESS), 'The package vitepress is missing. Run npm install first.')
  const args = ['--max-semi-space-size=64', VITEPRESS, 'build', 'docs', '--outDir', site]
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: CHECKOUT, encoding: 'utf8' })
  assert.equal(status, 0, `${stdout}${stderr}`)
})
after(() => rmSync(site, { recursive: true, force: true }))

test('every link of the site leads to a page or file, and every anchor to a heading', () => {
  const pages = filesBelow(site, '.html')
  assert.ok(pages.length > 100, `${pages.length} pages`)
  const ids = new Map(pages.map((page) => [page, idsOf(readFileSync(join(site, page), 'utf8'))]))
  const broken = pages.flatMap((page) =>
    linksOf(readFileSync(join(site, page), 'utf8'))
      .filter((link) => !leadsSomewhere(page, link, ids))
      .map((link) => `${page}: ${link}`),
  )
  assert.deepEqual(broken, [])
})

test('a broken link and a broken anchor are noticed', () => {
  const ids = new Map([['a/b.html', new Set(['there'])]])
  assert.equal(leadsSomewhere('a/b.html', '#there', ids), true)
  assert.equal(leadsSomewhere('index.html', '/a/b.html#there', ids), true)
  assert.equal(leadsSomewhere('index.html', '/a/b#nowhere', ids), false)
  assert.equal(leadsSomewhere('a/b.html', '../c', ids), false)
})

test('every page is reached from the entry page by links in the text', () => {
  const reached = new Set<string>(['index.md'])
  for (const page of reached) {
    const text = readFileSync(join(DOCS, page), 'utf8').replaceAll(/```[\s\S]*?```/g, '')
    for (const [, link] of text.matchAll(/\]\(([^)#:\s]+\.md)(?:#[^)]*)?\)/g)) {
      const path = posix.join(posix.dirname(page), link!)
      if (!path.startsWith('..')) reached.add(path)
    }
  }
  const orphans = filesBelow(DOCS, '.md').filter(
    (page) => !reached.has(page) && !page.startsWith('.vitepress'),
  )
  assert.deepEqual(orphans, [])
})

test('the site loads nothing from other hosts', () => {
  const loaded = [...filesBelow(site, '.html'), ...filesBelow(site, '.css')].flatMap((file) =>
    [
      ...readFileSync(join(site, file), 'utf8').matchAll(
        /(?:<(?:script|img|iframe|link)\b[^>]*\b(?:src|href)="|url\(["']?|@import ["'])((?:https?:)?\/\/[^"')]+)/g,
      ),
    ].map(([, address]) => `${file}: ${address}`),
  )
  assert.deepEqual(loaded, [])
})

function filesBelow(folder: string, ending: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ending))
    .sort()
}

function idsOf(html: string): Set<string> {
  return new Set([...html.matchAll(/\bid="([^"]+)"/g)].map(([, id]) => id!))
}

function linksOf(html: string): string[] {
  const links = [...html.matchAll(/<a\b[^>]*\bhref="([^"]*)"/g)].map(([, href]) => href!)
  return links.filter((href) => !/^[a-z]+:/.test(href))
}

function leadsSomewhere(page: string, link: string, ids: ReadonlyMap<string, ReadonlySet<string>>): boolean {
  const { pathname, hash } = new URL(link, `http://site/${page}`)
  const path = decodeURIComponent(pathname).slice(1)
  const target = [path, `${path}.html`, posix.join(path, 'index.html')].find((name) => ids.has(name))
  if (target === undefined) return path !== '' && !path.endsWith('.html') && existsSync(join(site, path))
  return hash === '' || ids.get(target)!.has(decodeURIComponent(hash.slice(1)))
}

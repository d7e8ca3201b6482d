# The one interface of this repository, for people and for CI. The logic is in tools/.
SHELL := /bin/bash
export PATH := $(CURDIR)/node_modules/.bin:$(PATH)
TOOL := node_modules/.bin/node --conditions=@postern/source
ENGINES ?= 1
.DEFAULT_GOAL := help
.PHONY: help setup build run stop test test-long lint format docs screenshots bench bench-long clean

help: ## List these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' Makefile

setup: ## Install packages and the servers that run and test need
	@tools/setup.sh test

build: ## Check the types, and make of each service what runs: services/*/dist/bundle
	@tools/setup.sh packages
	@tsc -b tsconfig.build.json
	@node tools/bundle.ts

run: ## Start the whole demo on loopback (ENGINES=2 for two engines); Ctrl-C stops it
	@tools/setup.sh run
	@$(TOOL) tools/run.ts --engines "$(ENGINES)"

stop: ## Stop a demo that was left behind
	@if [ -x node_modules/.bin/node ]; then $(TOOL) tools/stop.ts; else echo "Nothing to stop."; fi

test: ## Every check and test that decides; ends with "N passed, N failed"
	@tools/setup.sh test
	@$(TOOL) tools/test.ts

test-long: ## The long tail: corpora, mutations, chaos over minutes
	@tools/setup.sh test
	@$(TOOL) tools/test.ts long

lint: ## Formatting, types, lint, dependency rules, dead code
	@tools/setup.sh packages
	@$(TOOL) tools/test.ts static

format: ## Rewrite files in the house's format
	@tools/setup.sh packages
	@biome check --write .

docs: ## Write the generated references and schemas again
	@tools/setup.sh packages
	@$(TOOL) tools/docs.ts

screenshots: ## Take the pictures of all pages in docs/pages again
	@tools/setup.sh screenshots
	@$(TOOL) tools/screenshots.ts

bench: ## Requests per second, latency and CPU per request, side by side
	@tools/setup.sh bench
	@$(TOOL) bench/run.ts

bench-long: ## The same under load for ten minutes
	@tools/setup.sh bench
	@$(TOOL) bench/run.ts --long

clean: ## Stop the demo; remove packages, builds and everything under .run
	@$(MAKE) --no-print-directory stop
	@rm -rf .run node_modules libs/*/node_modules services/*/node_modules libs/*/dist services/*/dist
	@find . -name '*.tsbuildinfo' -not -path './.git/*' -delete

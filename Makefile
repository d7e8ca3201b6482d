# All commands of this repository, for people and for CI. The logic is in tools/.
SHELL := /bin/bash
export PATH := $(CURDIR)/node_modules/.bin:$(PATH)
TOOL := node_modules/.bin/node
ENGINES ?= 1
SHAPE ?= five
.DEFAULT_GOAL := help
.PHONY: help setup build run stop test test-quick test-long removals lint format docs screenshots package image test-package conformance bench bench-long clean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' Makefile

setup: ## Install packages and the servers for make run and make test
	@tools/setup.sh test

build: ## Check the types and build each service and the command line into dist/bundle
	@tools/setup.sh packages
	@echo "Checking the types…"
	@tsc -p tsconfig.json
	@node tools/bundle.ts

run: ## Start the demo on loopback (ENGINES=2 for two engines, SHAPE=one for one process); Ctrl-C stops it
	@tools/setup.sh $(if $(filter one,$(SHAPE)),run-one,run)
	@$(TOOL) tools/run.ts --engines "$(ENGINES)" --shape "$(SHAPE)"

stop: ## Stop a demo that is still running
	@if [ -x node_modules/.bin/node ]; then $(TOOL) tools/stop.ts; else echo "Nothing to stop."; fi

test: ## Run the static checks, the unit and the integration tests; the last line is "N passed, N failed"
	@tools/setup.sh test
	@$(TOOL) tools/test.ts

test-quick: ## Run the static checks, the unit tests, a decision in each dialect and a sign-in
	@tools/setup.sh run
	@$(TOOL) tools/test.ts quick

test-long: ## Run the slow and the long tests: outages, regions, rehearsals, reports, software of others, corpora, mutations
	@tools/setup.sh test-long
	@$(TOOL) tools/test.ts long

removals: ## Take each mechanism out of a copy and demand that its tests fail (NAMES=<names>, GREEN=1 to run them with it too)
	@tools/setup.sh test-long
	@$(TOOL) tools/removals.ts $(if $(GREEN),--green) $(NAMES)

lint: ## Check formatting, types, lint rules, dependency rules and dead code
	@tools/setup.sh packages
	@$(TOOL) tools/test.ts static

format: ## Format all files
	@tools/setup.sh packages
	@biome check --write .

docs: ## Regenerate references and schemas
	@tools/setup.sh packages
	@$(TOOL) tools/docs.ts

screenshots: ## Regenerate the pictures of all pages in docs/reference/pages
	@tools/setup.sh screenshots
	@$(TOOL) tools/screenshots.ts

package: build ## Build the Debian package in .run/package (VERSION=<version>, ARCH=amd64|arm64, KEY=<gpg key>)
	@$(TOOL) tools/with-progress.ts package 4 $(TOOL) tools/package.ts --version "$(VERSION)" --architecture "$(ARCH)" --key "$(KEY)"

image: ## Build the container image with its SBOM and provenance in .run/image (ARGS=<of docker build>, KEY=<gpg key>)
	@tools/setup.sh packages
	@$(TOOL) tools/image.ts --key "$(KEY)" -- $(ARGS)

test-package: ## Test the Debian package in a throw-away root with systemd (needs root, debootstrap and systemd-container)
	@tools/setup.sh test-package
	@tools/package/test-package.sh

conformance: ## Run the OpenID Foundation's suite (SUITE=<jar or https address>, PLANS=<names>, JAVA=<command>, RECORD=1 or ACCESS_TOKENS=jwt)
	@tools/setup.sh test
	@$(TOOL) tools/conformance.ts --suite "$(SUITE)" --java "$(or $(JAVA),java)" $(if $(RECORD),--record) --access-tokens "$(or $(ACCESS_TOKENS),opaque)" $(PLANS)

bench: ## Measure requests per second, latency and CPU time per request
	@tools/setup.sh bench
	@$(TOOL) bench/run.ts

bench-long: ## Run the same benchmark, beside other products, and under load for half an hour
	@tools/setup.sh bench-long
	@$(TOOL) bench/run.ts --long

clean: ## Stop the demo; remove packages, builds and everything under .run
	@$(MAKE) --no-print-directory stop
	@rm -rf .run node_modules libs/*/node_modules services/*/node_modules libs/*/dist services/*/dist cli/dist

"""Names of files: what tools of people or CI execute, and what a fix consists of."""

# Each is read in the top folder of a repository or project: by editors, shells, git, CI, containers, package managers,
# build tools, debuggers, version managers, test runners and agents.
EXECUTED = """
    requirements/dev.txt requirements/base.in constraints/ci.txt requirements.d/x.txt dev-requirements.txt
    opencode.jsonc
    pdm_build.py pip.py mypy.py pre_commit.py libs.tfvars.json x.instructions.md SKILL.md REPLIT.md JULES.md
    ansible.cfg _plugins/x.rb Rakefile.rb
    dprint.json wrangler.jsonc tauri.conf.json config-overrides.js electron-builder.js Tupfile.lua
    lefthook.json lefthook-local.json hooks/hooks.json main.tf.json Setup.hs Setup.lhs gatsby-node.js gatsby-ssr.tsx
    Dangerfile.js dangerfile.ts plopfile.js Brocfile.js gridsome.server.js webpack.mix.js serverless.ts
    serverless.js
    truffle-config.js brunch-config.js magefile.go mage.go rector.php ecs.php RoboFile.php castor.php deploy.php
    build.fsx user.clj site_scons/site_init.py deps/build.jl hook/build.dart callback_plugins/x.py mise/config.toml
    filter_plugins/x.py build-logic/src/main/kotlin/x.kt hooks/pre-commit.py scripts/hooks/pre-commit.sh
    .envrc .envrc.local .env .vscode/tasks.json .vscode/settings.json .vscode/launch.json .vscode/extensions.json
    .idea/workspace.xml .idea/runConfigurations/x.xml .zed/tasks.json .zed/settings.json .fleet/run.json
    .nova/Tasks/x.json .project .classpath .settings/org.eclipse.x.prefs shop.code-workspace shop.sublime-project
    .nvim.lua .nvimrc .exrc .vimrc .vim/after/x.vim .dir-locals.el .dir-locals-2.el .emacs .gdbinit .lldbinit
    .editorconfig .helix/config.toml .projections.json .husky/pre-commit .githooks/pre-push
    .lefthook/pre-commit/x.sh
    .lefthook.yml lefthook.yml .lefthook.toml .overcommit.yml .pre-commit-config.yaml .pre-commit-hooks.yaml
    .gitattributes .gitmodules .gitignore .gitconfig .mailmap .lintstagedrc .commitlintrc.js .git/config
    .git/hooks/pre-commit hooks/pre-commit CODEOWNERS docs/CODEOWNERS .github/CODEOWNERS .github/workflows/x.yml
    .github/actions/a/action.yml .gitlab-ci.yml .gitlab/ci/a.yml .circleci/config.yml Jenkinsfile
    azure-pipelines.yml
    .azure-pipelines/a.yml bitbucket-pipelines.yml .drone.yml .drone.star .woodpecker.yml .woodpecker/a.yaml
    .forgejo/workflows/a.yml .gitea/workflows/a.yml buildkite.yml .buildkite/pipeline.yml .buildkite/hooks/command
    .travis.yml appveyor.yml .appveyor.yml cloudbuild.yaml buildspec.yml appspec.yml .semaphore/semaphore.yml
    semaphore.yml wercker.yml shippable.yml codefresh.yml codeship-steps.yml bitrise.yml codemagic.yaml
    screwdriver.yaml .cirrus.yml .cirrus.star .teamcity/settings.kts .builds/x.yml .tekton/push.yaml .sourcehut.yml
    .prow.yaml ci/pipeline.yml .ci/run.yml pipelines/build.yaml .jenkins/x.groovy dependabot.yml
    .github/dependabot.yml renovate.json .renovaterc .renovaterc.json codecov.yml sonar-project.properties
    .readthedocs.yaml readthedocs.yml mkdocs.yml docs/conf.py _config.yml .goreleaser.yaml .releaserc
    .semantic-release.json .devcontainer/devcontainer.json .devcontainer.json devcontainer.json .gitpod.yml
    .gitpod.Dockerfile .replit replit.nix devfile.yaml Dockerfile Dockerfile.dev Containerfile
    docker-compose.override.yml docker-compose.yml compose.yaml compose.override.yaml docker-bake.hcl
    docker-bake.json
    .dockerignore Vagrantfile Procfile Procfile.dev Tiltfile tilt.yaml skaffold.yaml Earthfile earthfile dagger.json
    garden.yml okteto.yml werf.yaml helmfile.yaml helm/values.yaml Chart.yaml kustomization.yaml k8s/deploy.yaml
    ansible/site.yml main.tf vars.tfvars .terraformrc infra/stack.yaml terragrunt.hcl job.nomad .sops.yaml
    packer.pkr.hcl netlify.toml vercel.json now.json railway.json firebase.json fly.toml wrangler.toml
    serverless.yml
    heroku.yml render.yaml samconfig.toml cdk.json nixpacks.toml snapcraft.yaml .platform.app.yaml
    .ebextensions/a.config captain-definition flake.nix shell.nix default.nix devenv.nix devbox.json Brewfile
    Aptfile
    .tool-versions mise.toml .mise.toml .config/mise.toml .python-version .node-version .nvmrc .ruby-version
    .java-version .sdkmanrc .swift-version .go-version rust-toolchain rust-toolchain.toml .asdfrc .rtx.toml
    runtime.txt .bashrc .profile .zshrc .bash_profile .inputrc .screenrc .tmux.conf .wgetrc .curlrc .npmrc .yarnrc
    .yarnrc.yml .yarn/releases/yarn.cjs .pnp.cjs .pnpmfile.cjs pnpmfile.cjs pnpm-workspace.yaml bunfig.toml
    deno.json
    package.json package-lock.json npm-shrinkwrap.json lerna.json rush.json bower.json .bowerrc turbo.json nx.json
    project.json pip.conf pip.ini uv.toml Pipfile pdm.toml poetry.toml requirements.txt requirements-dev.in
    constraints.txt setup.py setup.cfg pyproject.toml environment.yml pixi.toml MANIFEST.in hatch.toml conanfile.py
    conanfile.txt vcpkg.json sitecustomize.py usercustomize.py shop.pth conftest.py pytest.ini tox.ini noxfile.py
    fabfile.py dodo.py pavement.py .coveragerc gunicorn.conf.py jupyter_notebook_config.py ipython_config.py .pdbrc
    .pythonrc .pypirc .condarc .pylintrc mypy.ini ruff.toml .flake8 Makefile GNUmakefile makefile rules.mk justfile
    .justfile Taskfile.yml Rakefile Gemfile .gemrc .irbrc .pryrc .bundle/config shop.gemspec shop.podspec Podfile
    Cartfile Fastfile fastlane/Fastfile Dangerfile Guardfile Capfile Steepfile Berksfile Puppetfile Caddyfile
    Snakefile Cakefile Jakefile.js Gruntfile.js gulpfile.js gulpfile.babel.js knexfile.js SConstruct SConscript
    wscript CMakeLists.txt CMakePresets.json cmake/FindX.cmake meson.build meson_options.txt configure configure.ac
    build.zig premake5.lua xmake.lua compile_commands.json compile_flags.txt .clangd .clang-tidy binding.gyp Kbuild
    dune dune-project BUILD BUILD.bazel WORKSPACE WORKSPACE.bazel MODULE.bazel .bazelrc .bazelversion defs.bzl BUCK
    .buckconfig TARGETS build.rs Cargo.toml Cargo.lock .cargo/config.toml .cargo/config clippy.toml rustfmt.toml
    .rustfmt.toml build.gradle build.gradle.kts settings.gradle gradle.properties
    gradle/wrapper/gradle-wrapper.properties gradle/libs.versions.toml gradlew buildSrc/src/main/kotlin/Shop.kt
    init.gradle .mvn/extensions.xml .mvn/jvm.config .mvn/wrapper/maven-wrapper.properties pom.xml mvnw build.xml
    build.sc build.sbt project/plugins.sbt project/build.properties .jvmopts .sbtopts .scalafmt.conf project.clj
    deps.edn shadow-cljs.edn bb.edn mix.exs .formatter.exs .iex.exs rebar.config Emakefile elm.json dub.json
    Package.swift Directory.Build.props Directory.Build.targets global.json nuget.config Shop.csproj Shop.sln
    Properties/launchSettings.json .config/dotnet-tools.json go.mod go.work .golangci.yml .air.toml composer.json
    phpunit.xml .user.ini .htaccess .php-cs-fixer.php phpstan.neon Makefile.PL Build.PL cpanfile .perltidyrc
    .Rprofile
    .Renviron renv/activate.R .luarc.json .luacheckrc shop.rockspec pubspec.yaml stack.yaml shop.cabal .ghci
    .ocamlinit config.ru debian/rules debian/postinst buildozer.spec shard.yml foundry.toml dvc.yaml babel.config.js
    .babelrc .swcrc vite.config.ts vitest.config.mts webpack.config.js rollup.config.js next.config.js
    metro.config.js
    postcss.config.js tailwind.config.ts eslint.config.mjs .eslintrc.js prettier.config.js .prettierrc.js
    jest.config.ts jest.setup.js karma.conf.js protractor.conf.js playwright.config.ts cypress.config.js
    cypress.json
    .mocharc.js .nycrc tsup.config.ts ecosystem.config.js nodemon.json angular.json nest-cli.json tslint.json
    tsconfig.json jsconfig.json .storybook/main.js testem.js ember-cli-build.js wallaby.js capacitor.config.ts
    drizzle.config.ts svelte.config.js astro.config.mjs app.json .watchmanconfig phpunit.xml.dist .rspec behave.ini
    .behaverc cucumber.js run_tests.py test.sh AGENTS.md AGENT.md CLAUDE.md CLAUDE.local.md GEMINI.md CODEX.md
    QWEN.md
    CRUSH.md WARP.md .cursorrules .cursor/rules/x.mdc .windsurfrules .windsurf/rules/a.md .clinerules
    .clinerules/a.md
    .roo/rules/a.md .roomodes .kiro/steering/a.md .junie/guidelines.md .amazonq/rules/a.md .goosehints
    .aider.conf.yml
    .continue/config.json .openhands/setup.sh .rules .claude/settings.json .claude/commands/a.md .codex/config.toml
    .gemini/settings.json .mcp.json mcp.json opencode.json crush.json gemini-extension.json
    .github/copilot-instructions.md .github/prompts/x.prompt.md .claude-plugin/plugin.json .agents/a.md reknit.toml
    .reknit/plans/a.md
"""

# Source, data and documentation, also in unusual places and with names that are almost those of tools.
ORDINARY = """
    shop/price.py shop/build.py shop/config.py shop/commands/setup.py shop/commands/build.py shop/conf.py
    shop/tasks.py tasks.py manage.py price.py src/build.rs src/lib.rs src/bin/shop.rs src/app/app.config.ts
    src/db/db.config.ts lib/commands/install.js index.js index.d.ts src/index.tsx web/src/app.vue web/src/App.svelte
    web/src/page.astro cmd/shop/main.go internal/build/build.go src/main/java/Shop.java src/main/kotlin/Shop.kt
    src/main/scala/Shop.scala src/main/groovy/Shop.groovy src/main/resources/log4j2.xml
    src/main/resources/application.yml src/main/resources/application.properties
    src/main/resources/META-INF/services/shop.Plugin Shop/Program.cs Shop/Views/Home.cshtml.cs src/Shop.fs
    lib/shop.rb
    app/models/user.rb lib/shop/version.rb lib/shop.ex src/shop.erl lib/main.dart src/shop.php src/shop.c
    include/shop.h src/shop.cpp include/shop.hpp src/shop.m src/shop.mm Sources/Shop/Shop.swift src/shop.zig
    src/shop.nim src/shop.hs src/shop.ml src/shop.mli src/shop.clj src/shop.cljs src/shop.jl R/shop.R lua/shop.lua
    lisp/shop.el plugin/shop.vim autoload/shop.vim shop.sh scripts/deploy.sh scripts/setup.bash tools/build.ps1
    run.bat src/shop.cu src/kernel.glsl src/shader.wgsl contracts/Shop.sol rtl/shop.sv rtl/shop.vhd src/shop.f90
    src/shop.pl src/shop.pm src/shop.coffee src/shop.elm src/shop.rkt src/shop.scm src/shop.d src/shop.cr
    src/shop.asm
    src/shop.s src/shop.pyx stubs/shop.pyi data.json prices.csv data/prices.tsv data/rates.jsonl data/map.geojson
    db/schema.sql migrations/0001.sql schema.graphql api/shop.proto openapi.yaml api/openapi.yml schema.yaml
    data/cities.xml xsd/shop.xsd locale/fi/LC_MESSAGES/shop.po locale/shop.pot i18n/de.yaml i18n/fr.toml
    i18n/messages.properties config/settings.yaml config/logging.ini shop/defaults.cfg shop/rules.toml
    shop/environment.yml deploy/app.yaml words.txt data/stop-words.txt templates/page.html templates/mail.j2
    views/a.erb views/a.haml views/a.ejs views/a.hbs views/a.pug views/a.mustache views/a.twig views/a.liquid
    views/a.tmpl static/site.css static/site.scss static/site.less static/logo.svg static/app.webmanifest
    public/index.html public/robots.txt public/.well-known/security.txt grammar/shop.lark grammar/Shop.g4
    grammar/shop.peg grammar/shop.y fonts/a.woff2 images/a.png images/a.jpg certs/test.pem README README.md
    readme.rst
    LICENSE LICENSE-MIT COPYING NOTICE AUTHORS CHANGELOG CHANGELOG.md CHANGES.rst HISTORY.rst NEWS TODO VERSION
    docs/index.rst docs/guide.md docs/shop.adoc docs/usage.mdx docs/man/shop.1 docs/agents.md docs/claude.md
    docs/paper.tex docs/refs.bib docs/diagram.puml docs/graph.dot docs/notes.org notebooks/shop.ipynb
    newsfragments/12.bugfix newsfragments/13.feature.rst changelog.d/12.fixed.md .changeset/brave-cats.md
    shop/py.typed data/.gitkeep docs/_static/custom.css docs/build/notes.md examples/basic.py examples/config.yaml
    benches/price.rs benchmarks/price.py build/lib.py bin/shop.js ci/report.py infra/names.py src/Profile.tsx
    src/shop/Profile.java src/Logfile.cs docker/entry.py tools/project/model.py k8s/client.go
"""

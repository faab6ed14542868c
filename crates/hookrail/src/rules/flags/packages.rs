//! Package managers and build tools of programming languages, and of systems.

use super::Syntax;

/// What all commands of npm accept.
const NPM: &str = "-g|--global --prefix|-C= -w|--workspace= --workspaces|--ws --include-workspace-root --registry= \
    --userconfig= --globalconfig= --cache= --loglevel= -d -s|--silent -q|--quiet --verbose --tag= --access= --otp= \
    -f|--force --dry-run --json --parseable -p -l|--long --ignore-scripts --provenance --scope= --if-present \
    --production --omit= --include= --no-audit --no-fund -y|--yes -c|--call= --package= --auth-type= --color=";

/// The programs of this table.
pub(super) const PROGRAMS: &[Syntax] = &[
    Syntax::new("npm", NPM).with_global(&[
        Syntax::new(
            "install|i|in|ins|inst|insta|instal|isnt|isnta|isntal|add",
            "-S|--save -D|--save-dev -O|--save-optional --save-prod -P -E|--save-exact -B|--save-bundle --no-save --legacy-peer-deps \
             --package-lock-only --strict-peer-deps --foreground-scripts",
        ),
        Syntax::new("ci|clean-install|ic|install-clean|isntall-clean", "--legacy-peer-deps"),
        Syntax::new("uninstall|unlink|remove|rm|r|un", "-S|--save -D|--save-dev --no-save"),
        Syntax::new("publish", ""),
        Syntax::new("unpublish", ""),
        Syntax::new("deprecate", ""),
        Syntax::new("run|run-script|rum|urn", "").launcher(),
        Syntax::new("exec|x", "").launcher(),
        Syntax::new("test|t|tst", ""),
        Syntax::new("start", ""),
        Syntax::new("update|up|upgrade|udpate", "-S|--save"),
        Syntax::new("version|verison", "-m|--message= --no-git-tag-version --allow-same-version --preid="),
        Syntax::new("config|c", "-L|--location=").with(&[Syntax::new("set", ""), Syntax::new("delete", ""), Syntax::new("get", "")]),
        Syntax::new("set", ""),
        Syntax::new("login|adduser|add-user", ""),
        Syntax::new("logout", ""),
        Syntax::new("token", ""),
        Syntax::new("owner|author", ""),
        Syntax::new("access", ""),
        Syntax::new("dist-tag|dist-tags", ""),
        Syntax::new("audit", "").with(&[Syntax::new("fix", ""), Syntax::new("signatures", "")]),
        Syntax::new("link|ln", ""),
        Syntax::new("init|create|innit", ""),
        Syntax::new("pack", "--pack-destination="),
    ]),
    Syntax::new("npx|bunx", "-y|--yes -n|--no -c|--call= -p|--package= -w|--workspace= -q|--quiet").launcher(),
    Syntax::new("pnpm", "-C|--dir= -w|--workspace-root -r|--recursive -F|--filter= --filter-prod= --color --no-color --reporter= --loglevel= -s|--silent --registry= --tag= --access= --otp= --no-git-checks --publish-branch= --dry-run --json --force -f --ignore-scripts -P|--prod -D|--save-dev|--dev -O|--save-optional -E|--save-exact -g|--global --frozen-lockfile --offline --prefer-offline")
        .with_global(&[
            Syntax::new("install|i", ""),
            Syntax::new("add", ""),
            Syntax::new("remove|rm|uninstall|un", ""),
            Syntax::new("update|up|upgrade", "-i|--interactive -L|--latest"),
            Syntax::new("publish", ""),
            Syntax::new("unpublish", ""),
            Syntax::new("run|run-script", "").launcher(),
            Syntax::new("exec", "-c|--shell-mode --parallel").launcher(),
            Syntax::new("dlx", "-c|--shell-mode --package=").launcher(),
        ]),
    Syntax::in_full("yarn|yarnpkg", "--cwd= --registry= --tag= --access= --otp= --new-version= --no-git-tag-version --frozen-lockfile --immutable --ignore-scripts --production --non-interactive --silent -s -D|--dev -P|--peer -O|--optional -E|--exact -T|--tilde -W --force --json --offline")
        .with_global(&[
            Syntax::in_full("install", ""),
            Syntax::in_full("add", ""),
            Syntax::in_full("remove", ""),
            Syntax::in_full("upgrade|up", ""),
            Syntax::in_full("publish", ""),
            Syntax::in_full("npm", "").with_global(&[Syntax::in_full("publish", "--tolerate-republish"), Syntax::in_full("login", "")]),
            Syntax::in_full("run", "").launcher(),
            Syntax::in_full("exec|dlx", "").launcher(),
            Syntax::in_full("global", "").with_global(&[Syntax::in_full("add", ""), Syntax::in_full("remove", "")]),
        ]),
    Syntax::in_full("bun", "--cwd= -c|--config= --env-file= -p|--print= -e|--eval= --registry= --tag= --access= --otp= --dry-run --watch --hot -g|--global -d|--dev -y|--yes -f|--force")
        .with_global(&[Syntax::in_full("install|i|add|a", ""), Syntax::in_full("remove|rm", ""), Syntax::in_full("publish", ""), Syntax::in_full("run", "").launcher(), Syntax::in_full("x", "").launcher()]),
    Syntax::in_full(
        "cargo",
        "-V|--version --list --explain= -v|--verbose -q|--quiet --color= -C= --locked --offline --frozen --config= -Z= -h|--help \
         --manifest-path= --target-dir= -p|--package= --workspace --all --exclude= -j|--jobs= --features|-F= --all-features \
         --no-default-features --target= -r|--release --profile= --bin= --bins --lib --example= --examples --test= --tests \
         --bench= --benches --all-targets --message-format= --keep-going --ignore-rust-version --lockfile-path=",
    )
    .with_global(&[
        Syntax::in_full("build|b", ""),
        Syntax::in_full("check|c", ""),
        Syntax::in_full("test|t", "--no-run --no-fail-fast --doc"),
        Syntax::in_full("run", "").launcher(),
        Syntax::in_full("clean", "--doc -n|--dry-run"),
        Syntax::in_full("publish", "-n|--dry-run --index= --registry= --token= --no-verify --allow-dirty"),
        Syntax::in_full("yank", "--version|--vers= --undo --index= --registry= --token="),
        Syntax::in_full("owner", "-a|--add= --remove= -l|--list --index= --registry= --token="),
        Syntax::in_full("login", "--registry="),
        Syntax::in_full("logout", "--registry="),
        Syntax::in_full("install", "--version|--vers= --index= --registry= --git= --branch= --tag= --rev= --path= --root= -f|--force --no-track --debug --list"),
        Syntax::in_full("uninstall", "--root="),
        Syntax::in_full("add", "--git= --branch= --tag= --rev= --path= --registry= --rename= --dev --build --optional --no-optional -n|--dry-run"),
        Syntax::in_full("remove|rm", "--dev --build -n|--dry-run"),
        Syntax::in_full("update", "--precise= --recursive -w -n|--dry-run"),
        Syntax::in_full("release", "-x|--execute --no-publish --no-push --no-tag --no-confirm"),
    ]),
    Syntax::new(
        "pip|pip3|pipx",
        "-h|--help --debug --isolated --require-virtualenv --python= -v|--verbose -V|--version -q|--quiet --log= --no-input \
         --proxy= --retries= --timeout= --exists-action= --trusted-host= --cert= --client-cert= --cache-dir= --no-cache-dir \
         --disable-pip-version-check --no-color -i|--index-url= --extra-index-url= --no-index -f|--find-links= --pre",
    )
    .with_global(&[
        Syntax::new("install", "-r|--requirement= -c|--constraint= --no-deps --dry-run -t|--target= --platform= --user --root= --prefix= --src= -U|--upgrade --upgrade-strategy= --force-reinstall -I|--ignore-installed --break-system-packages -e|--editable= --no-build-isolation --no-binary= --only-binary= --require-hashes"),
        Syntax::new("uninstall", "-r|--requirement= -y|--yes --break-system-packages"),
        Syntax::new("download|wheel", "-r|--requirement= -c|--constraint= -d|--dest= -w|--wheel-dir= --no-deps"),
        Syntax::new("config", "--global --user --site --editor="),
    ]),
    Syntax::in_full("uv", "--directory= --project= --config-file= --cache-dir= -n|--no-cache --offline -q|--quiet -v|--verbose --color= -p|--python=")
        .with_global(&[
            Syntax::in_full("pip", "").with_global(&[Syntax::in_full("install", "-r|--requirements= -e|--editable= --system --break-system-packages --index-url|-i= --target="), Syntax::in_full("uninstall", "-r|--requirements= --system")]),
            Syntax::in_full("add", "--dev --optional= --group= -r|--requirements="),
            Syntax::in_full("remove", "--dev --group="),
            Syntax::in_full("publish", "--index= -t|--token= -u|--username= -p|--password= --publish-url= --check-url= --trusted-publishing="),
            Syntax::in_full("run", "--with= --extra= --group= --env-file= -m|--module=").launcher(),
        ]),
    Syntax::new("twine", "--no-color").with_global(&[Syntax::new("upload", "-r|--repository= --repository-url= -s|--sign -u|--username= -p|--password= --non-interactive -c|--comment= --config-file= --skip-existing --cert= --client-cert= --verbose --disable-progress-bar -i|--identity= --sign-with="), Syntax::new("check", "--strict")]),
    Syntax::in_full("poetry", "-C|--directory= -P|--project= -n|--no-interaction -q|--quiet -v|--verbose --no-ansi --no-cache")
        .with_global(&[Syntax::in_full("publish", "-r|--repository= -u|--username= -p|--password= --cert= --client-cert= --build --dry-run --skip-existing --dist-dir="), Syntax::in_full("add", "-G|--group= -D|--dev -E|--extras= --source="), Syntax::in_full("remove", "-G|--group= -D|--dev"), Syntax::in_full("run", "").launcher()]),
    Syntax::in_full("gem", "-h|--help -V|--verbose -q|--quiet --config-file=").with_global(&[Syntax::in_full("push", "-k|--key= --otp= --host= -p|--http-proxy=?"), Syntax::in_full("yank", "-v|--version= -p|--platform= --otp= --host= -k|--key="), Syntax::in_full("install|i", "-v|--version= -i|--install-dir= -n|--bindir= -N|--no-document"), Syntax::in_full("uninstall", "-v|--version= -a|--all -x|--executables -I|--ignore-dependencies")]),
    Syntax::single_dash("go", "-C=").with(&[Syntax::single_dash("build|install|test|vet|get|run|generate", "-C= -a -n -p= -race -msan -cover -v -work -x -asmflags= -buildmode= -buildvcs= -gcflags= -ldflags= -mod= -modfile= -o= -tags= -trimpath -toolexec= -run= -bench= -count= -timeout= -u -d -t"), Syntax::single_dash("clean", "-i -r -n -x -cache -testcache -modcache -fuzzcache"), Syntax::single_dash("env", "-json -u -w"), Syntax::single_dash("mod", "")]),
    Syntax::in_full("dotnet", "").with(&[Syntax::in_full("nuget", "").with(&[Syntax::in_full("push", "-k|--api-key= -s|--source= -t|--timeout= -d|--disable-buffering -n|--no-symbols --skip-duplicate --symbol-api-key= --interactive"), Syntax::in_full("delete", "-k|--api-key= -s|--source= --non-interactive --interactive")])]),
    Syntax::new("make|gmake", "-B|--always-make -C|--directory= -d --debug=? -e|--environment-overrides -E|--eval= -f|--file|--makefile= -h|--help -i|--ignore-errors -I|--include-dir= -j|--jobs=? -k|--keep-going -l|--load-average=? -n|--just-print|--dry-run|--recon -o|--old-file|--assume-old= -O|--output-sync=? -p|--print-data-base -q|--question -r|--no-builtin-rules -R|--no-builtin-variables -s|--silent|--quiet -S|--no-keep-going -t|--touch --trace -v|--version -w|--print-directory -W|--what-if|--new-file|--assume-new="),
    Syntax::in_full("mvn|mvnw", "-f|--file= -P|--activate-profiles= -D|--define= -pl= -q|--quiet -o|--offline -B|--batch-mode -s|--settings= -T|--threads= -U|--update-snapshots -X|--debug -e|--errors -N|--non-recursive"),
    Syntax::in_full("apt|apt-get|aptitude", "-h|--help -y|--yes|--assume-yes --assume-no -q|--quiet -s|--simulate|--just-print|--dry-run|--recon|--no-act -d|--download-only -f|--fix-broken -m|--ignore-missing|--fix-missing -u -V -t|--target-release|--default-release= -o|--option= -c|--config-file= --purge --reinstall --no-install-recommends --install-recommends --allow-downgrades --allow-remove-essential --allow-unauthenticated --allow-change-held-packages --force-yes --auto-remove|--autoremove")
        .with_global(&[Syntax::in_full("install", ""), Syntax::in_full("remove", ""), Syntax::in_full("purge", ""), Syntax::in_full("autoremove|auto-remove", ""), Syntax::in_full("update", ""), Syntax::in_full("upgrade", ""), Syntax::in_full("full-upgrade|dist-upgrade", "")]),
    Syntax::new("dpkg", "-i|--install -r|--remove -P|--purge -l|--list -L|--listfiles -s|--status -S|--search --force-all -D|--debug= --root= --admindir= --instdir= -a|--pending -R|--recursive"),
    Syntax::in_full("yum|dnf|zypper", "-y|--assumeyes -q|--quiet -v|--verbose -c|--config= -x|--exclude= --enablerepo= --disablerepo= --installroot= -n|--non-interactive --nogpgcheck -C|--cacheonly -R= -d= -e=")
        .with_global(&[Syntax::in_full("install|in", ""), Syntax::in_full("remove|erase|rm", ""), Syntax::in_full("update|upgrade|up", "")]),
    Syntax::in_full("apk", "-p|--root= -X|--repository= -q|--quiet -v|--verbose -i|--interactive -f|--force -U|--update-cache --allow-untrusted --no-cache").with_global(&[Syntax::in_full("add", "-t|--virtual= -u|--upgrade"), Syntax::in_full("del", "-r|--rdepends")]),
    Syntax::in_full("brew", "-d|--debug -q|--quiet -v|--verbose -h|--help").with_global(&[Syntax::in_full("install", "-f|--force --cask --formula --HEAD -s|--build-from-source -n|--dry-run --appdir="), Syntax::in_full("uninstall|remove|rm", "-f|--force --zap --ignore-dependencies --cask --formula"), Syntax::in_full("upgrade", "-f|--force --greedy -n|--dry-run --cask --formula"), Syntax::in_full("tap", "--force"), Syntax::in_full("services", "--all --json")]),
];

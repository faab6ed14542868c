//! git: its own flags stand before the subcommand, and each subcommand has flags of its own.

use super::Syntax;

/// The programs of this table.
pub(super) const PROGRAMS: &[Syntax] = &[Syntax::new(
    "git",
    "-v|--version -h|--help -C= -c= --exec-path=? --html-path --man-path --info-path -p|--paginate -P|--no-pager \
     --no-replace-objects --no-lazy-fetch --no-optional-locks --no-advice --bare --git-dir= --work-tree= --namespace= \
     --super-prefix= --config-env= --literal-pathspecs --glob-pathspecs --noglob-pathspecs --icase-pathspecs \
     --list-cmds= --attr-source=",
)
.with(COMMANDS)];

/// The flags of commands that show commits and differences.
const LOG: &str = "-p|-u|--patch -s|--no-patch -U|--unified= --output= --raw --stat=? --numstat --shortstat --dirstat=? \
    --summary --name-only --name-status --submodule=? --color=? --no-color --word-diff=? -M|--find-renames=? \
    -C|--find-copies=? -D|--irreversible-delete -R -a|--text -b|--ignore-space-change -w|--ignore-all-space -W|--function-context \
    --exit-code --quiet --ext-diff --no-ext-diff --textconv --no-textconv --cached|--staged --no-index --merge-base \
    -S= -G= -O= --diff-filter= --relative=? -z -n|--max-count= --skip= --since|--after= --until|--before= --author= \
    --committer= --grep= --all-match -i|--regexp-ignore-case -E|--extended-regexp -F|--fixed-strings --merges --no-merges \
    --first-parent --all --branches=? --tags=? --remotes=? --glob= --exclude= --reflog -g|--walk-reflogs --oneline \
    --pretty=? --format= --abbrev-commit --no-abbrev-commit --decorate=? --graph --follow -L= --date= --reverse -c --cc \
    --show-signature --left-right --cherry --cherry-pick --topo-order --date-order --abbrev=? --full-diff --source";

/// The subcommands with flags that matter to rules.
const COMMANDS: &[Syntax] = &[
    Syntax::new(
        "push",
        "-v|--verbose -q|--quiet --repo= --all|--branches --mirror -d|--delete --tags -n|--dry-run --porcelain -f|--force \
         --force-with-lease=? --force-if-includes --recurse-submodules= --thin --no-thin --receive-pack= --exec= \
         -u|--set-upstream --progress --prune --no-verify --verify --follow-tags --signed=? --atomic -o|--push-option= \
         -4|--ipv4 -6|--ipv6",
    ),
    Syntax::new(
        "commit",
        "-q|--quiet -v|--verbose -F|--file= --author= --date= -m|--message= -c|--reedit-message= -C|--reuse-message= \
         --fixup= --squash= --reset-author --trailer= -s|--signoff -t|--template= -e|--edit --no-edit --cleanup= --status \
         -S|--gpg-sign=? --no-gpg-sign -a|--all -i|--include --interactive -p|--patch -o|--only -n|--no-verify --verify \
         --dry-run --short --branch --ahead-behind --porcelain --long -z|--null --amend --no-post-rewrite \
         -u|--untracked-files=? --pathspec-from-file= --pathspec-file-nul --allow-empty --allow-empty-message",
    ),
    Syntax::new(
        "reset",
        "-q|--quiet --no-refresh --mixed -N|--intent-to-add --soft --hard --merge --keep --recurse-submodules=? -p|--patch \
         --pathspec-from-file= --pathspec-file-nul",
    ),
    Syntax::new(
        "checkout",
        "-q|--quiet --progress -f|--force --ours --theirs -b= -B= -t|--track=? --no-track --guess --no-guess -l -d|--detach \
         --orphan= --ignore-skip-worktree-bits -m|--merge --conflict= -p|--patch --ignore-other-worktrees \
         --overwrite-ignore --no-overwrite-ignore --recurse-submodules=? --overlay --no-overlay --pathspec-from-file= \
         --pathspec-file-nul",
    ),
    Syntax::new(
        "switch",
        "-c|--create= -C|--force-create= -d|--detach --guess --no-guess -f|--force --discard-changes -m|--merge --conflict= \
         -q|--quiet --progress -t|--track=? --no-track --orphan= --ignore-other-worktrees --recurse-submodules=?",
    ),
    Syntax::new(
        "restore",
        "-s|--source= -p|--patch -W|--worktree -S|--staged -q|--quiet --progress --ours --theirs -m|--merge --conflict= \
         --ignore-unmerged --ignore-skip-worktree-bits --recurse-submodules=? --overlay --no-overlay \
         --pathspec-from-file= --pathspec-file-nul",
    ),
    Syntax::new("clean", "-d -f|--force -i|--interactive -n|--dry-run -q|--quiet -e|--exclude= -x -X"),
    Syntax::new(
        "rm",
        "-f|--force -n|--dry-run -r --cached --ignore-unmatch --sparse -q|--quiet --pathspec-from-file= --pathspec-file-nul",
    ),
    Syntax::new("mv", "-f|--force -k -n|--dry-run -v|--verbose --sparse"),
    Syntax::new(
        "add|stage",
        "-n|--dry-run -v|--verbose -f|--force --sparse -i|--interactive -p|--patch -e|--edit -u|--update -A|--all|--no-ignore-removal \
         --no-all|--ignore-removal -N|--intent-to-add --refresh --ignore-errors --ignore-missing --no-warn-embedded-repo \
         --renormalize --chmod= --pathspec-from-file= --pathspec-file-nul",
    ),
    Syntax::new(
        "branch",
        "-d|--delete -D -m|--move -M -c|--copy -C --color=? --no-color -i|--ignore-case --column=? --no-column -r|--remotes -a|--all \
         -l|--list --show-current -v|--verbose -q|--quiet --abbrev=? --no-abbrev -t|--track=? --no-track --recurse-submodules \
         -u|--set-upstream-to= --unset-upstream --edit-description --contains=? --no-contains=? --merged=? --no-merged=? \
         --sort= --points-at= --format= -f|--force --create-reflog",
    ),
    Syntax::new(
        "tag",
        "-a|--annotate -s|--sign --no-sign -u|--local-user= -f|--force -d|--delete -v|--verify -n=? -l|--list --sort= --color=? \
         -i|--ignore-case --omit-empty --column=? --contains=? --no-contains=? --merged=? --no-merged=? --points-at= \
         -m|--message= -F|--file= --trailer= -e|--edit --cleanup= --create-reflog --format=",
    ),
    Syntax::new(
        "stash",
        "-p|--patch -S|--staged -k|--keep-index --no-keep-index -q|--quiet -u|--include-untracked -a|--all -m|--message= \
         --pathspec-from-file= --pathspec-file-nul",
    )
    .with(&[
        Syntax::new(
            "push|save",
            "-p|--patch -S|--staged -k|--keep-index --no-keep-index -q|--quiet -u|--include-untracked -a|--all -m|--message= \
             --pathspec-from-file= --pathspec-file-nul -f|--force",
        ),
        Syntax::new("pop|apply", "--index -q|--quiet"),
        Syntax::new("drop", "-q|--quiet"),
        Syntax::new("clear", ""),
        Syntax::new("list", LOG),
        Syntax::new("show", LOG),
        Syntax::new("branch", ""),
    ]),
    Syntax::new(
        "rebase",
        "--onto= --keep-base --continue --abort --quit --edit-todo --skip --show-current-patch --apply --empty= -m|--merge \
         -s|--strategy= -X|--strategy-option= -S|--gpg-sign=? -q|--quiet -v|--verbose --stat -n|--no-stat --no-verify \
         --verify -f|--force-rebase|--no-ff --fork-point --no-fork-point --ignore-whitespace --whitespace= -C= --signoff \
         --committer-date-is-author-date --ignore-date|--reset-author-date -i|--interactive -r|--rebase-merges=? -x|--exec= \
         --root --autosquash --no-autosquash --autostash --no-autostash --update-refs --reschedule-failed-exec \
         --rerere-autoupdate",
    ),
    Syntax::new(
        "merge",
        "-n|--no-stat --stat --log=? --squash --commit --no-commit -e|--edit --no-edit --cleanup= --ff --no-ff --ff-only \
         --verify-signatures -s|--strategy= -X|--strategy-option= -m|--message= -F|--file= -v|--verbose -q|--quiet --abort \
         --quit --continue --allow-unrelated-histories --progress -S|--gpg-sign=? --autostash --signoff --no-verify \
         --rerere-autoupdate --into-name=",
    ),
    Syntax::new("cherry-pick|revert", "-e|--edit --no-edit -x -r -m|--mainline= -n|--no-commit -s|--signoff -S|--gpg-sign=? --ff --allow-empty --strategy= -X|--strategy-option= --continue --abort --quit --skip --cleanup="),
    Syntax::new(
        "pull",
        "-v|--verbose -q|--quiet --progress --recurse-submodules=? -r|--rebase=? --no-rebase -n|--no-stat --stat --log=? \
         --squash --commit --no-commit --edit --no-edit --ff --no-ff --ff-only -s|--strategy= -X|--strategy-option= \
         -S|--gpg-sign=? --autostash --allow-unrelated-histories --all -a|--append --atomic -f|--force -t|--tags -p|--prune \
         -j|--jobs= --dry-run -k|--keep --depth= --shallow-since= --shallow-exclude= --deepen= --unshallow --refmap= -o|--server-option= \
         --upload-pack= -4|--ipv4 -6|--ipv6 --set-upstream --no-verify",
    ),
    Syntax::new(
        "fetch",
        "-v|--verbose -q|--quiet --all --set-upstream -a|--append --atomic --upload-pack= -f|--force -m|--multiple -t|--tags \
         -n|--no-tags -j|--jobs= --prefetch -p|--prune -P|--prune-tags --recurse-submodules=? --dry-run --porcelain \
         -k|--keep -u|--update-head-ok --progress --depth= --shallow-since= --shallow-exclude= --deepen= --unshallow \
         --refetch --update-shallow --refmap= -o|--server-option= -4|--ipv4 -6|--ipv6 --negotiation-tip= --filter= --stdin",
    ),
    Syntax::new(
        "clone",
        "-v|--verbose -q|--quiet --progress --reject-shallow -n|--no-checkout --bare --mirror -l|--local --no-hardlinks \
         -s|--shared --recurse-submodules|--recursive=? -j|--jobs= --template= --reference= --reference-if-able= --dissociate \
         -o|--origin= -b|--branch= -u|--upload-pack= --depth= --shallow-since= --shallow-exclude= --single-branch --no-tags \
         --shallow-submodules --separate-git-dir= -c|--config= --server-option= -4|--ipv4 -6|--ipv6 --filter= \
         --remote-submodules --sparse --bundle-uri=",
    ),
    Syntax::new(
        "config",
        "--global --system --local --worktree -f|--file= --blob= --get --get-all --get-regexp --get-urlmatch --replace-all \
         --add --unset --unset-all --rename-section --remove-section -l|--list -e|--edit --get-color --get-colorbool \
         -t|--type= --bool --int --bool-or-int --bool-or-str --path --expiry-date --default= --comment= --fixed-value \
         -z|--null --name-only --show-origin --show-scope --includes",
    ),
    Syntax::new("remote", "-v|--verbose").with(&[
        Syntax::new("add", "-f|--fetch --tags --no-tags -t|--track= -m|--master= --mirror=?"),
        Syntax::new("rename", "--progress --no-progress"),
        Syntax::new("remove|rm", ""),
        Syntax::new("set-url", "--push --add --delete"),
        Syntax::new("prune", "-n|--dry-run"),
        Syntax::new("set-branches", "--add"),
        Syntax::new("set-head", "-a|--auto -d|--delete"),
        Syntax::new("show", "-n"),
        Syntax::new("update", "-p|--prune"),
        Syntax::new("get-url", "--push --all"),
    ]),
    Syntax::new("worktree", "").with(&[
        Syntax::new("add", "-f|--force -b= -B= --orphan -d|--detach --checkout --no-checkout --lock --reason= -q|--quiet --track --no-track --guess-remote --relative-paths"),
        Syntax::new("remove", "-f|--force"),
        Syntax::new("prune", "-n|--dry-run -v|--verbose --expire="),
        Syntax::new("move", "-f|--force"),
        Syntax::new("list", "--porcelain -v|--verbose -z"),
    ]),
    Syntax::new("submodule", "-q|--quiet --cached").with(&[
        Syntax::new("add", "-b|--branch= -f|--force --name= --reference= --ref-format= --depth="),
        Syntax::new("update", "--init --remote -N|--no-fetch --recommend-shallow -f|--force --checkout --merge --rebase --reference= --recursive --depth= --filter= --single-branch -j|--jobs="),
        Syntax::new("deinit", "-f|--force --all"),
        Syntax::new("foreach", "--recursive").launcher(),
    ]),
    Syntax::new("reflog", LOG).with(&[
        Syntax::new("expire", "-n|--dry-run --expire= --expire-unreachable= --updateref --rewrite --stale-fix --verbose --all --single-worktree"),
        Syntax::new("delete", "-n|--dry-run --updateref --rewrite --verbose"),
        Syntax::new("show", LOG),
    ]),
    Syntax::new("gc", "-q|--quiet --prune=? --no-prune --cruft --aggressive --auto --detach --force --keep-largest-pack"),
    Syntax::new("update-ref", "-m= -d --no-deref --create-reflog --stdin -z"),
    Syntax::new("filter-branch", "-f|--force --setup= --env-filter= --tree-filter= --index-filter= --parent-filter= --msg-filter= --commit-filter= --tag-name-filter= --subdirectory-filter= --prune-empty --original= -d= --state-branch="),
    Syntax::new("log|whatchanged", LOG),
    Syntax::new("show", LOG),
    Syntax::new("diff", LOG),
    Syntax::new("status", "-v|--verbose -s|--short -b|--branch --show-stash --ahead-behind --porcelain=? --long -z -u|--untracked-files=? --ignored=? --ignore-submodules=? --column=? -M|--find-renames=?"),
    Syntax::new("apply", "-p= -C= --cached --index -3|--3way --check --stat --numstat --summary -R|--reverse --reject --unsafe-paths --directory= --exclude= --include= --whitespace= --build-fake-ancestor= -v|--verbose -q|--quiet"),
    Syntax::new("am", "-i|--interactive -3|--3way -q|--quiet -s|--signoff -k|--keep -m|--message-id --abort --continue --quit --skip -C= -p= --directory= --exclude= --include= --patch-format= --reject --whitespace="),
    Syntax::new("init", "-q|--quiet --bare --template= --separate-git-dir= --object-format= -b|--initial-branch= --shared=?"),
    Syntax::new("bisect", "").with(&[Syntax::new("run", "").launcher()]),
];

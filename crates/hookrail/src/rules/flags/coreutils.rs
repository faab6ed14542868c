//! GNU coreutils, with the BSD names that macOS adds, and the small tools that stand beside them.

use super::Syntax;

/// The programs of this table.
pub(super) const PROGRAMS: &[Syntax] = &[
    Syntax::new(
        "rm|grm",
        "-f|--force -i -I --interactive=? --one-file-system --no-preserve-root --preserve-root=? -r|-R|--recursive \
         -d|--dir -v|--verbose -P -W -x --help --version",
    ),
    Syntax::new("rmdir|grmdir", "--ignore-fail-on-non-empty -p|--parents -v|--verbose --help --version"),
    Syntax::new("unlink", "--help --version"),
    Syntax::new("shred", "-f|--force -n|--iterations= --random-source= -s|--size= -u --remove=? -v|--verbose -x|--exact -z|--zero --help --version"),
    Syntax::new(
        "cp|gcp",
        "-a|--archive --attributes-only --backup=? -b --copy-contents -c -d --debug -f|--force -i|--interactive -H \
         --keep-directory-symlink -l|--link -L|--dereference -n|--no-clobber -P|--no-dereference -p --preserve=? \
         --no-preserve= --parents -R|-r|--recursive --reflink=? --remove-destination --sparse= \
         --strip-trailing-slashes -s|--symbolic-link -S|--suffix= -t|--target-directory= -T|--no-target-directory \
         --update=? -u -v|--verbose -x|--one-file-system -X -Z --context=? --help --version",
    ),
    Syntax::new(
        "mv|gmv",
        "--backup=? -b --debug --exchange -f|--force -i|--interactive -n|--no-clobber --no-copy -h \
         --strip-trailing-slashes -S|--suffix= -t|--target-directory= -T|--no-target-directory --update=? -u \
         -v|--verbose -Z|--context --help --version",
    ),
    Syntax::new(
        "ln|gln",
        "--backup=? -b -d|-F|--directory -f|--force -h -i|--interactive -L|--logical -n|--no-dereference \
         -P|--physical -r|--relative -s|--symbolic -S|--suffix= -t|--target-directory= -T|--no-target-directory \
         -v|--verbose -w --help --version",
    ),
    Syntax::new(
        "install|ginstall",
        "--backup=? -b -c -C|--compare -d|--directory -D --debug -g|--group= -m|--mode= -o|--owner= \
         -p|--preserve-timestamps -s|--strip --strip-program= -S|--suffix= -t|--target-directory= \
         -T|--no-target-directory -v|--verbose --preserve-context -Z --context=? --help --version",
    ),
    Syntax::new("mkdir|gmkdir", "-m|--mode= -p|--parents -v|--verbose -Z --context=? --help --version"),
    Syntax::new("mkfifo", "-m|--mode= -Z --context=? --help --version"),
    Syntax::new("mknod", "-m|--mode= -Z --context=? --help --version"),
    Syntax::new("touch|gtouch", "-a -A= -c|--no-create -d|--date= -f -h|--no-dereference -m -r|--reference= -t= --time= --help --version"),
    Syntax::new("truncate", "-c|--no-create -o|--io-blocks -r|--reference= -s|--size= --help --version"),
    Syntax::new(
        "chmod|gchmod",
        "-c|--changes -f|--silent|--quiet -h|--no-dereference --dereference -H -L -P -v|--verbose \
         --no-preserve-root --preserve-root --reference= -R|--recursive -N -E -C -i -I --help --version",
    ),
    Syntax::new(
        "chown|gchown|chgrp",
        "-c|--changes -f|--silent|--quiet -v|--verbose --dereference -h|--no-dereference --from= \
         --no-preserve-root --preserve-root --reference= -R|--recursive -H -L -P -n -x --help --version",
    ),
    Syntax::new("tee|gtee", "-a|--append -i|--ignore-interrupts -p --output-error=? --help --version"),
    Syntax::new("cat|gcat", "-A|--show-all -b|--number-nonblank -e -E|--show-ends -n|--number -s|--squeeze-blank -t -T|--show-tabs -u -v|--show-nonprinting -l --help --version"),
    Syntax::new("head|ghead", "-c|--bytes= -n|--lines= -q|--quiet|--silent -v|--verbose -z|--zero-terminated --help --version"),
    Syntax::new(
        "tail|gtail",
        "-c|--bytes= --debug -f -F --follow=? -n|--lines= --max-unchanged-stats= --pid= -q|--quiet|--silent --retry \
         -r -s|--sleep-interval= -v|--verbose -z|--zero-terminated --help --version",
    ),
    Syntax::new("dd", ""),
    Syntax::new(
        "ls|gls",
        "-a|--all -A|--almost-all --author -b|--escape --block-size= -B|--ignore-backups -c -C --color=? -d|--directory \
         -D|--dired -f -F --classify=? --file-type --format= --full-time -g --group-directories-first -G|--no-group \
         -h|--human-readable --si -H|--dereference-command-line --dereference-command-line-symlink-to-dir --hide= \
         --hyperlink=? --indicator-style= -i|--inode -I|--ignore= -k|--kibibytes -l -L|--dereference -m \
         -n|--numeric-uid-gid -N|--literal -o -p -q|--hide-control-chars --show-control-chars -Q|--quote-name \
         --quoting-style= -r|--reverse -R|--recursive -s|--size -S --sort= --time= --time-style= -t -T|--tabsize= -u -U \
         -v -w|--width= -x -X -Z|--context --zero -1 --help --version",
    ),
    Syntax::new(
        "du|gdu",
        "-0|--null -a|--all -A|--apparent-size -B|--block-size= -b|--bytes -c|--total -D|--dereference-args -d|--max-depth= \
         --files0-from= -H -h|--human-readable --inodes -k -L|--dereference -l|--count-links -m -P|--no-dereference \
         -S|--separate-dirs --si -s|--summarize -t|--threshold= --time=? --time-style= -X|--exclude-from= --exclude= \
         -x|--one-file-system --help --version",
    ),
    Syntax::new("df", "-a|--all -B|--block-size= -h|--human-readable -H|--si -i|--inodes -k -l|--local --no-sync --output=? -P|--portability --sync --total -t|--type= -T|--print-type -x|--exclude-type= -v --help --version"),
    Syntax::new("sort|gsort", "-b|--ignore-leading-blanks -d|--dictionary-order -f|--ignore-case -g|--general-numeric-sort -i|--ignore-nonprinting -M|--month-sort -h|--human-numeric-sort -n|--numeric-sort -R|--random-sort --random-source= -r|--reverse --sort= -V|--version-sort --batch-size= -c -C --check=? --compress-program= --debug --files0-from= -k|--key= -m|--merge -o|--output= -s|--stable -S|--buffer-size= -t|--field-separator= -T|--temporary-directory= --parallel= -u|--unique -z|--zero-terminated --help --version"),
    Syntax::new("uniq", "-c|--count -d|--repeated -D --all-repeated=? -f|--skip-fields= --group=? -i|--ignore-case -s|--skip-chars= -u|--unique -z|--zero-terminated -w|--check-chars= --help --version"),
    Syntax::new("cut", "-b|--bytes= -c|--characters= -d|--delimiter= -f|--fields= -n --complement -s|--only-delimited --output-delimiter= -w -z|--zero-terminated --help --version"),
    Syntax::new("tr", "-c|-C|--complement -d|--delete -s|--squeeze-repeats -t|--truncate-set1 -u --help --version"),
    Syntax::new("wc", "-c|--bytes -m|--chars -l|--lines --files0-from= -L|--max-line-length -w|--words --total= --help --version"),
    Syntax::new("base64|base32|basenc", "-d|-D|--decode -i|--ignore-garbage -w|--wrap= -b|--break= -o|--output= --base64 --base64url --base32 --base16 --help --version"),
    Syntax::new("split|csplit", "-a|--suffix-length= --additional-suffix= -b|--bytes= -C|--line-bytes= -d --numeric-suffixes=? -x --hex-suffixes=? -e|--elide-empty-files --filter= -l|--lines= -n|--number= -t|--separator= -u|--unbuffered --verbose --help --version"),
    Syntax::new("date", "-d|--date= --debug -f|--file= -I=? --iso-8601=? -j -n -R|--rfc-email --resolution --rfc-3339= -r|--reference= -s|--set= -u|--utc|--universal -v= --help --version"),
    Syntax::new("mktemp", "-d|--directory -u|--dry-run -q|--quiet --suffix= -p= --tmpdir=? -t --help --version"),
    Syntax::new("readlink|realpath", "-f|--canonicalize -e|--canonicalize-existing -m|--canonicalize-missing -n|--no-newline -q|--quiet|--silent -s|--strip|--no-symlinks -v|--verbose -z|--zero -L|--logical -P|--physical --relative-to= --relative-base= --help --version"),
    Syntax::new("kill|gkill", "-s|--signal= -n= -l|--list=? -L|--table -p|--pid -q|--queue= -a|--all --help --version"),
    Syntax::new("env|genv", "-i|--ignore-environment -0|--null -u|--unset= -C|--chdir= -S|--split-string= --block-signal=? --default-signal=? --ignore-signal=? --list-signal-handling -P= -v|--debug -a|--argv0= --help --version").launcher(),
    Syntax::new("nice|gnice", "-n|--adjustment= --help --version").launcher(),
    Syntax::new("nohup", "--help --version").launcher(),
    Syntax::new("timeout|gtimeout", "-f|--foreground -k|--kill-after= -p|--preserve-status -s|--signal= -v|--verbose --help --version").launcher(),
    Syntax::new("stdbuf", "-i|--input= -o|--output= -e|--error= --help --version").launcher(),
    Syntax::new("chroot", "--groups= --userspec= --skip-chdir --help --version").launcher(),
];

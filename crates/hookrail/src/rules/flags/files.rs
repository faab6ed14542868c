//! Programs that search, change, pack and compare files.

use super::Syntax;

/// The flags of all greps.
const GREP: &str = "-E|--extended-regexp -F|--fixed-strings -G|--basic-regexp -P|--perl-regexp -e|--regexp= -f|--file= \
    -i|-y|--ignore-case --no-ignore-case -v|--invert-match -w|--word-regexp -x|--line-regexp -c|--count --color=? \
    --colour=? -L|--files-without-match -l|--files-with-matches -m|--max-count= -o|--only-matching -q|--quiet|--silent \
    -s|--no-messages -b|--byte-offset -H|--with-filename -h|--no-filename --label= -n|--line-number -T|--initial-tab \
    -Z|--null -A|--after-context= -B|--before-context= -C|--context= -a|--text --binary-files= -D|--devices= \
    -d|--directories= --exclude= --exclude-from= --exclude-dir= --include= -I -r|--recursive \
    -R|--dereference-recursive -U|--binary -u -z|--null-data --line-buffered -V|--version --help";

/// The programs of this table.
pub(super) const PROGRAMS: &[Syntax] = &[
    Syntax::new("grep|egrep|fgrep|ggrep|zgrep", GREP),
    Syntax::in_full(
        "rg",
        "-e|--regexp= -f|--file= -A|--after-context= -B|--before-context= -C|--context= -c|--count --color= --colors= \
         -g|--glob= --iglob= -i|--ignore-case -j|--threads= -l|--files-with-matches --files -M|--max-columns= \
         -m|--max-count= -d|--max-depth= -n|--line-number -N|--no-line-number -o|--only-matching -q|--quiet -r|--replace= \
         -S|--smart-case -s|--case-sensitive -t|--type= -T|--type-not= -u|--unrestricted -U|--multiline \
         -v|--invert-match -w|--word-regexp -x|--line-regexp -z|--search-zip -F|--fixed-strings -P|--pcre2 --hidden -. \
         -a|--text -H|--with-filename -I|--no-filename --json --no-ignore --pre= --pre-glob= --sort= --sortr= --type-add= \
         -L|--follow -0|--null --column --heading --no-heading --stats --trim --vimgrep",
    ),
    Syntax::new(
        "sed|gsed",
        "-n|--quiet|--silent --debug -e|--expression= -f|--file= --follow-symlinks -i|--in-place=? -I=? -l|--line-length= \
         --posix -E|-r|--regexp-extended -s|--separate --sandbox -u|--unbuffered -z|--null-data -a --help --version",
    ),
    Syntax::new(
        "awk|gawk|mawk|nawk",
        "-F|--field-separator= -v|--assign= -f|--file= -b|--characters-as-bytes -c|--traditional -C|--copyright \
         -d|--dump-variables=? -e|--source= -E|--exec= -g|--gen-pot -h|--help -i|--include= -I|--trace -l|--load= \
         -M|--bignum -n|--non-decimal-data -N|--use-lc-numeric -o|--pretty-print=? -O|--optimize -p|--profile=? \
         -P|--posix -r|--re-interval -s|--no-optimize -S|--sandbox -t|--lint-old -V|--version",
    ),
    Syntax::new("perl", "-e= -E= -i=? -n -p -l=? -a -F= -M= -m= -w -W -X -t -T -u -U -c -d=? -D=? -I= -s -S -v -V -x=? -0=?")
        .launcher(),
    Syntax::single_dash(
        "find|gfind",
        "-H -L -P -D= -O -amin= -anewer= -atime= -cmin= -cnewer= -context= -ctime= -daystart -delete -depth -empty \
         -executable -false -files0-from= -fls= -follow -fprint= -fprint0= -fstype= -gid= -group= -ignore_readdir_race \
         -ilname= -iname= -inum= -ipath= -iregex= -iwholename= -links= -lname= -ls -maxdepth= -mindepth= -mmin= -mount \
         -mtime= -name= -newer= -newermt= -nogroup -noleaf -nouser -path= -perm= -print -print0 -printf= -prune -quit \
         -readable -regex= -regextype= -samefile= -size= -true -type= -uid= -used= -user= -wholename= -writable -xdev \
         -xtype= -not -a -o -and -or -exec -execdir -ok -okdir",
    ),
    Syntax::in_full(
        "fd|fdfind",
        "-H|--hidden -I|--no-ignore -u|--unrestricted -s|--case-sensitive -i|--ignore-case -g|--glob -F|--fixed-strings \
         -a|--absolute-path -l|--list-details -L|--follow -p|--full-path -d|--max-depth= --min-depth= -t|--type= \
         -e|--extension= -S|--size= --changed-within= --changed-before= -o|--owner= -x|--exec -X|--exec-batch \
         -E|--exclude= -c|--color= -j|--threads= -0|--print0 -1 -q|--quiet --base-directory= -C=",
    ),
    Syntax::new(
        "xargs|gxargs",
        "-0|--null -a|--arg-file= -d|--delimiter= -e=? --eof=? -E= -I= -i=? --replace=? -J= -L= -l=? --max-lines=? \
         -n|--max-args= -o|--open-tty -P|--max-procs= -p|--interactive --process-slot-var= -R= -r|--no-run-if-empty \
         -s|--max-chars= --show-limits -S= -t|--verbose -x|--exit --help --version",
    )
    .launcher(),
    Syntax::new(
        "tar|gtar|bsdtar",
        "-A|--catenate|--concatenate -c|--create -d|--diff|--compare --delete -r|--append -t|--list -u|--update \
         -x|--extract|--get -f|--file= -C|--directory= -z|--gzip|--gunzip|--ungzip -j|--bzip2 -J|--xz --lzma --lzip --lzop \
         -Z|--compress|--uncompress --zstd -a|--auto-compress -v|--verbose -k|--keep-old-files \
         --overwrite --overwrite-dir -U|--unlink-first --recursive-unlink --remove-files -O|--to-stdout \
         --to-command= -p|--preserve-permissions|--same-permissions --no-same-owner --same-owner --no-same-permissions \
         -P|--absolute-names --strip-components= --transform|--xform= -T|--files-from= -X|--exclude-from= --exclude= \
         --exclude-vcs -h|--dereference -I|--use-compress-program= -g|--listed-incremental= -L|--tape-length= \
         -M|--multi-volume -N|--newer= -m|--touch -n|--seek -o -S|--sparse -s -w|--interactive -W|--verify -b|--blocking-factor= \
         -F|--info-script= -K|--starting-file= -V|--label= -H|--format= --checkpoint=? --checkpoint-action= --wildcards \
         --one-file-system --owner= --group= --mode= --mtime= --sort= --numeric-owner --rsh-command= --totals=? --help --version",
    )
    .dashless(),
    Syntax::in_full("zip", "-r|--recurse-paths -q|--quiet -u|--update -f|--freshen -d|--delete -m|--move -j|--junk-paths -x|--exclude= -i|--include= -e|--encrypt -P|--password= -y|--symlinks -9 -0 -1 -v -T -o -@ -n="),
    Syntax::in_full("unzip", "-o -n -q -l -t -d= -j -p -P= -x= -a -C -L -v -u -f"),
    Syntax::new("gzip|gunzip|zcat|bzip2|bunzip2|xz|unxz|zstd", "-c|--stdout|--to-stdout -d|--decompress|--uncompress -f|--force -k|--keep -l|--list -n|--no-name -N|--name -q|--quiet -r|--recursive -S|--suffix= -t|--test -T|--threads= -v|--verbose -z|--compress --rm --fast --best --help --version"),
    Syntax::new("diff|cmp", "-u -U|--unified=? -c -C|--context=? -r|--recursive -N|--new-file -q|--brief -s|--report-identical-files -y|--side-by-side -i|--ignore-case -w|--ignore-all-space -b|--ignore-space-change -B|--ignore-blank-lines -a|--text -x|--exclude= -X|--exclude-from= --color=? -l -n|--bytes= --label= --from-file= --to-file= -W|--width="),
    Syntax::new("patch", "-p|--strip= -i|--input= -o|--output= -R|--reverse -N|--forward -E|--remove-empty-files -d|--directory= -b|--backup -z|--suffix= -B|--prefix= -f|--force -t|--batch -s|--quiet|--silent -F|--fuzz= -l|--ignore-whitespace -r|--reject-file= --dry-run --verbose -D|--ifdef= -u|--unified -c|--context -e|--ed -n|--normal -V|--version-control= --merge=? --posix --binary -Z|--set-utc -T|--set-time"),
    Syntax::in_full("less|more", "-N -S -R -F -X -i -I -M -m -n -p= -P= -b= -h= -j= -k= -o= -O= -t= -T= -x= -y= -z="),
    Syntax::in_full("jq", "-r|--raw-output -c|--compact-output -n|--null-input -e|--exit-status -s|--slurp -R|--raw-input -S|--sort-keys -a|--ascii-output -j|--join-output -C|--color-output -M|--monochrome-output --tab --indent= -f|--from-file= -L="),
];

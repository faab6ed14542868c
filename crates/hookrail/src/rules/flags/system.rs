//! Programs that administer a machine, and those that start others with other rights or in other places.

use super::Syntax;

/// What all programs that make a file system accept; `-t TYPE` chooses which.
const MKFS: &str = "-t|--type= -V|--verbose -b= -c -C= -E= -F -f -g= -G= -i= -I= -j -J= -L= -m= -M= -n= -N= -o= -O= -q -r= -s= -S= -T= -U= -v -D -p= -h";

/// The programs of this table.
pub(super) const PROGRAMS: &[Syntax] = &[
    Syntax::new("sudo", "-A|--askpass -b|--background -B|--bell -C|--close-from= -D|--chdir= -E --preserve-env=? -e|--edit -g|--group= -H|--set-home -h|--host= --help -i|--login -K|--remove-timestamp -k|--reset-timestamp -l|--list -n|--non-interactive -N|--no-update -P|--preserve-groups -p|--prompt= -R|--chroot= -r|--role= -S|--stdin -s|--shell -t|--type= -T|--command-timeout= -U|--other-user= -u|--user= -V|--version -v|--validate").launcher(),
    Syntax::in_full("doas", "-C= -L -n -s -u= -a=").launcher(),
    Syntax::new("su", "-c|--command= --session-command= -f|--fast -g|--group= -G|--supp-group= -l|--login -m|-p|--preserve-environment -P|--pty -s|--shell= -w|--whitelist-environment= -h|--help -V|--version"),
    Syntax::in_full("bash|sh|zsh|dash|ksh", "-c= -l|--login -i -s -r|--restricted -D --dump-strings --init-file|--rcfile= --noediting --noprofile --norc --posix -v|--verbose -x -e -u -n -a -b -f -h -k -m -p -t -B -C -E -H -P -T -o= -O= --help --version").launcher(),
    Syntax::new("setsid", "-c|--ctty -f|--fork -w|--wait").launcher(),
    Syntax::new("ionice", "-c|--class= -n|--classdata= -p|--pid= -P|--pgid= -t|--ignore -u|--uid=").launcher(),
    Syntax::new("flock", "-s|--shared -x|-e|--exclusive -u|--unlock -n|--nb|--nonblock -w|--wait|--timeout= -o|--close -F|--no-fork -c|--command= -E|--conflict-exit-code= --verbose").launcher(),
    Syntax::new("watch", "-b|--beep -c|--color -C|--no-color -d|--differences=? -e|--errexit -g|--chgexit -n|--interval= -p|--precise -q|--equexit= -r|--no-rerun -t|--no-title -w|--no-wrap -x|--exec").launcher(),
    Syntax::new("time|gtime", "-f|--format= -o|--output= -a|--append -p|--portability -v|--verbose -q|--quiet -l -h").launcher(),
    Syntax::new("parallel", "-j|--jobs|-P|--max-procs= -N= -n|--max-args= -L= -I= -k|--keep-order -a|--arg-file= -d|--delimiter= -S|--sshlogin= -v|--verbose -t -q|--quote -r|--no-run-if-empty -0|--null -X -m --dry-run --bar --eta --progress --halt= --joblog= --timeout= --retries= --delay= --tmpdir= --results= --colsep|-C= --pipe --block= --tag --ungroup|-u --will-cite --citation").launcher(),
    Syntax::new(
        "systemctl",
        "-t|--type= --state= -p|--property= -P= -a|--all --failed -r|--recursive --reverse --with-dependencies -l|--full \
         --value --show-types --job-mode= -T|--show-transaction -i|--ignore-inhibitors --check-inhibitors= --dry-run -q|--quiet \
         --no-warn --no-block --wait --user --system --no-wall --global --no-reload --no-ask-password --kill-who|--kill-whom= \
         --kill-value= -s|--signal= -f|--force --message= --now --runtime --root= --image= --image-policy= --preset-mode= -n|--lines= \
         -o|--output= --firmware-setup --boot-loader-menu= --boot-loader-entry= --plain --timestamp= --read-only --mkdir --marked \
         --drop-in= --when= -H|--host= -M|--machine= -C|--capsule= -h|--help --version --no-pager --legend= --no-legend",
    ),
    Syntax::in_full("service", "--status-all --full-restart"),
    Syntax::in_full("launchctl", ""),
    Syntax::new("journalctl", "-f|--follow -u|--unit= -n|--lines=? -o|--output= -p|--priority= -S|--since= -U|--until= -b|--boot=? -k|--dmesg -r|--reverse -x|--catalog -e|--pager-end -q|--quiet --vacuum-size= --vacuum-time= --vacuum-files= --rotate --flush --no-pager -g|--grep= -t|--identifier="),
    Syntax::new("shutdown|halt|poweroff|reboot", "-h|-P|--poweroff -H|--halt -r|--reboot -k -c -f|--force -n|--no-sync -w|--wtmp-only -d|--no-wtmp -p --no-wall --show --help"),
    Syntax::new("mkfs|mkfs.ext2|mkfs.ext3|mkfs.ext4|mkfs.xfs|mkfs.btrfs|mkfs.vfat|mkfs.fat|mkfs.ntfs|mkfs.exfat|mkfs.f2fs|mke2fs", MKFS),
    Syntax::new("mkswap|swapoff|swapon", "-c|--check -f|--force -p|--priority= -L|--label= -v|--verbose -U|--uuid= -a|--all -e|--ifexists -o|--options= -s|--summary"),
    Syntax::new("fdisk|sfdisk|cfdisk", "-l|--list -b|--sector-size= -B|--protect-boot -c|--compatibility=? -L|--color=? -n|--no-act -o|--output= -t|--type= -u|--units=? -w|--wipe= -W|--wipe-partitions= -d|--dump -f|--force -q|--quiet --delete --append -a -N|--partno= -X|--label="),
    Syntax::new("parted|sgdisk|gdisk", "-l|--list -m|--machine -s|--script -a|--align= -f|--fix -d|--delete= -n|--new= -t|--typecode= -z|--zap -Z|--zap-all -o|--clear -p|--print -g|--mbrtogpt"),
    Syntax::new("wipefs", "-a|--all -b|--backup=? -f|--force -i|--noheadings -J|--json -n|--no-act -o|--offset= -O|--output= -p|--parsable -q|--quiet -t|--types= --lock=?"),
    Syntax::new("blkdiscard", "-f|--force -q|--quiet -l|--length= -o|--offset= -p|--step= -s|--secure -z|--zeroout -v|--verbose"),
    Syntax::in_full("cryptsetup", "-c|--cipher= -h|--hash= -y|--verify-passphrase -d|--key-file= -s|--key-size= -q|--batch-mode -v|--verbose --type= --force-password"),
    Syntax::in_full("diskutil", ""),
    Syntax::new("mount|umount", "-a|--all -B|--bind -c|--no-canonicalize -f|--fake|--force -F|--fork -l|--lazy -L|--label= -m|--mkdir=? -M|--move -n|--no-mtab -N|--namespace= -o|--options= -O|--test-opts= -R|--rbind|--recursive -r|--read-only -s -T|--fstab= -t|--types= -U|--uuid= -v|--verbose -w|--rw|--read-write -d|--detach-loop -q|--quiet"),
    Syntax::new("useradd|usermod|userdel|groupadd|groupdel|adduser|deluser", "-a|--append -b|--base-dir= -c|--comment= -d|--home|--home-dir= -e|--expiredate= -f|--inactive|--force= -g|--gid= -G|--groups= -k|--skel= -K|--key= -l|--login= -L|--lock -m|--create-home|--move-home -M|--no-create-home -N|--no-user-group -o|--non-unique -p|--password= -r|--system|--remove -R|--root= -s|--shell= -u|--uid= -U|--user-group|--unlock"),
    Syntax::new("passwd|chpasswd", "-a|--all -d|--delete -e|--expire|--encrypted -i|--inactive= -k|--keep-tokens -l|--lock -n|--mindays= -q|--quiet -r|--repository= -R|--root= -S|--status -u|--unlock -w|--warndays= -x|--maxdays= -c|--crypt-method= -m|--md5 -s|--stdin"),
    Syntax::in_full("visudo", "-c|--check -f|--file= -h -q|--quiet -s|--strict -V"),
    Syntax::in_full("crontab", "-u= -l -r -e -i -s -n -c -V"),
    Syntax::new("iptables|ip6tables|nft", "-t|--table= -A|--append= -D|--delete= -I|--insert= -R|--replace= -L|--list=? -S|--list-rules=? -F|--flush=? -Z|--zero=? -N|--new-chain= -X|--delete-chain=? -P|--policy= -p|--protocol= -s|--source= -d|--destination= -j|--jump= -i|--in-interface= -o|--out-interface= -m|--match= -n|--numeric -v|--verbose -f|--file= -a|--handle -c|--check"),
    Syntax::in_full("ufw", "--force --dry-run"),
    Syntax::new("sysctl", "-a|--all|-A|-X -b|--binary -e|--ignore -N|--names -n|--values -p|--load=? --system -q|--quiet -w|--write -r|--pattern= --dry-run"),
    Syntax::in_full("insmod|modprobe|rmmod", "-f|--force -r|--remove -v|--verbose -n|--dry-run -a|--all -C|--config= -s|--syslog -w|--wait="),
    Syntax::new("pkill|killall|pgrep", "-s|--signal|--session= -e|--echo|--exact -f|--full -g|--pgroup|--process-group= -G|--group= -i|--ignore-case|--interactive -n|--newest -o|--oldest -P|--parent= -t|--terminal= -u|--euid|--user= -U|--uid= -v|--inverse|--verbose -x -q|--quiet -w|--wait -r|--runstates|--regexp= -l|--list-name|--list -a|--list-full -c|--count"),
    Syntax::new("chattr", "-R -V -f -v= -p="),
    Syntax::new("setfacl", "-m|--modify= -M|--modify-file= -x|--remove= -X|--remove-file= -b|--remove-all -k|--remove-default -R|--recursive -d|--default -L|--logical -P|--physical --restore= --set= --set-file= -n|--no-mask --mask --test"),
    Syntax::in_full("security|dscl|csrutil|spctl|defaults", ""),
];

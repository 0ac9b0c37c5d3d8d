use super::*;

const HERE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(10, 0, 0, 1));
const THERE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(10, 0, 0, 2));

fn address(number: u32) -> IpAddr {
    std::net::Ipv4Addr::from_bits(0x0b00_0000 + number).into()
}

fn wrong(brake: &Brake, user: &str, from: IpAddr, now: Instant) -> bool {
    brake.judge(user, from, now, || None::<()>) == Outcome::Wrong
}

fn right(brake: &Brake, user: &str, from: IpAddr, now: Instant) -> bool {
    brake.judge(user, from, now, || Some(())) == Outcome::Right(())
}

#[test]
fn one_s_own_login_between_guesses_gains_nothing() {
    let (brake, now) = (Brake::default(), Instant::now());
    let mut judged = 0;
    for _ in 0..60 {
        judged += u32::from(wrong(&brake, "victim", HERE, now));
        assert!(
            right(&brake, "mallory", HERE, now),
            "one's own always works"
        );
    }
    assert_eq!(judged, FREE);
}

#[test]
fn a_right_password_gets_in_once_the_wait_is_over_however_often_it_was_tried() {
    let (brake, start) = (Brake::default(), Instant::now());
    let mut now = start;
    for _ in 0..6 {
        assert!(wrong(&brake, "anna", HERE, now));
        now += wait(FREE);
    }
    // six failures: two seconds; tries during them change nothing
    let last = now.checked_sub(wait(FREE)).expect("a moment before");
    for tenth in 0..20 {
        let during = last + Duration::from_millis(100 * tenth);
        assert!(!right(&brake, "anna", HERE, during), "{tenth}");
    }
    assert!(right(&brake, "anna", HERE, last + Duration::from_secs(2)));
    // and the count is clear again
    for _ in 0..FREE {
        assert!(wrong(&brake, "anna", HERE, now));
    }
}

#[test]
fn no_wait_is_longer_than_a_minute() {
    let (brake, mut now) = (Brake::default(), Instant::now());
    for _ in 0..40 {
        assert!(wrong(&brake, "anna", HERE, now));
        now += LONGEST_WAIT;
    }
    assert!(right(&brake, "anna", HERE, now));
}

#[test]
fn who_shares_an_address_does_not_lock_the_others_out() {
    let (brake, start) = (Brake::default(), Instant::now());
    assert!(right(&brake, "anna", HERE, start));
    // a thousand names, and all the time in the world
    let mut judged = 0;
    for number in 0..1000 {
        let now = start + Duration::from_millis(number);
        judged += u32::from(wrong(&brake, &format!("name {number}"), HERE, now));
        assert!(right(&brake, "anna", HERE, now), "{number}");
    }
    assert_eq!(
        judged, ADDRESS.burst,
        "one password on every account is slowed"
    );
    // a colleague who never logged in here gets in soon after
    assert!(!right(
        &brake,
        "ben",
        HERE,
        start + Duration::from_millis(990)
    ));
    assert!(right(&brake, "ben", HERE, start + Duration::from_secs(3)));
    assert!(right(&brake, "ben", THERE, start), "elsewhere at once");
}

#[test]
fn many_machines_share_one_account_s_tries() {
    let (brake, start) = (Brake::default(), Instant::now());
    assert!(right(&brake, "anna", HERE, start));
    let judged = (0..2000)
        .filter(|number| wrong(&brake, "anna", address(*number), start))
        .count();
    assert_eq!(judged, 50);
    assert!(
        right(&brake, "anna", HERE, start),
        "where she works she gets in"
    );
    assert!(!right(&brake, "anna", THERE, start));
    let later = start + USER.refill;
    assert!(right(&brake, "anna", THERE, later), "and elsewhere soon");
}

#[test]
fn addresses_of_one_customer_count_as_one() {
    let (brake, now) = (Brake::default(), Instant::now());
    let judged = (0..100u128)
        .filter(|host| {
            let six = (0x2001_0db8_u128 << 96) + host * 0x0101_0101;
            wrong(
                &brake,
                "anna",
                std::net::Ipv6Addr::from_bits(six).into(),
                now,
            )
        })
        .count();
    assert_eq!(judged, 5);
    let mapped = "::ffff:10.0.0.1".parse().expect("an address");
    assert_eq!(network(mapped), HERE);
}

#[test]
fn made_up_names_do_not_push_out_the_one_that_is_guessed_at() {
    let (brake, now) = (Brake::default(), Instant::now());
    for _ in 0..FREE {
        assert!(wrong(&brake, "anna", HERE, now));
    }
    for number in 0..60_000 {
        wrong(&brake, &format!("made up {number}"), address(number), now);
    }
    assert!(!wrong(&brake, "anna", HERE, now));
    let tables = brake.tables.lock().expect("not poisoned");
    for size in [
        tables.pairs.len(),
        tables.users.len(),
        tables.addresses.len(),
        tables.known.len(),
    ] {
        assert!(size <= REMEMBERED, "{size}");
    }
}

#[test]
fn threads_do_not_get_more_tries_together() {
    let brake = Brake::default();
    let now = Instant::now();
    let judged: usize = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8)
            .map(|_| {
                scope.spawn(|| {
                    (0..100)
                        .filter(|_| wrong(&brake, "anna", HERE, now))
                        .count()
                })
            })
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().expect("ends"))
            .sum()
    });
    assert_eq!(judged, 5);
    // and a pool with the right password is not slowed
    assert!((0..1000).all(|_| right(&brake, "pool", HERE, now)));
}
